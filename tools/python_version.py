"""Is this Python new enough? ``make`` asks before anything is installed, so this file keeps to what Python 3.6 understands."""

import sys

v = sys.version_info
problem = f"mcmteach needs Python 3.11 or newer, and {sys.executable} is {v[0]}.{v[1]}."
sys.exit(None if v >= (3, 11) else f"{problem}\nName another one:  make lab PYTHON=python3.12")
