"""What builds the site: ``book`` (notebooks and docstrings as pages), ``downloads`` (from registries), ``laboratory``."""
