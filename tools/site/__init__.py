"""What builds the site: ``book`` (notebooks and docstrings as pages), ``downloads`` (what comes from registries), ``laboratory``."""
