"""The book (``make site``): Sphinx reads the notebooks and pages where they lie, with the root of the project as its source."""

import hashlib
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import mcmteach  # noqa: E402
from tools.site import book  # noqa: E402

project, author, release = "mcmteach", "The mcmteach developers", mcmteach.__version__
copyright = author

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_proof",
]
root_doc = "docs/index"
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/*.md",
    "docs/teachers/[A-Z]*.md",
    "docs/api/*.rst",
    "lessons/*",
    "exercises/*.ipynb",
    "exercises/*.md",
    "mcmteach/datasets/README.md",
]
exclude_patterns = [".*", "build", "tests", "tools", "requirements", "mcmteach/[!d]*", "**/.ipynb_checkpoints"]

# --- notebooks and pages -----------------------------------------------------------------------------------------------
nb_execution_mode = "off"  # outputs are those that `make lessons` stored and `make test` compares
nb_merge_streams = True
nb_number_source_lines = False
nb_render_markdown_format = "myst"
myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath", "html_image"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
suppress_warnings = [
    "myst.header",
    "ref.python",
]  # a heading that skips a level; a name of two classes in an annotation
copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = ":not(.output) > div.highlight pre"

# --- reference ---------------------------------------------------------------------------------------------------------
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_preserve_defaults = True
autodoc_type_aliases = {name: name for name in ("ArrayLike", "FloatArray", "FloatOrArray", "MatrixLike", "NDArray")}
add_module_names = False

# --- the page ----------------------------------------------------------------------------------------------------------
html_theme = "sphinx_book_theme"
html_title = "mcmteach"
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_css_files = ["book.css"]
html_js_files = ["book.js"]
html_copy_source = False  # it would carry the answers of the quizzes
html_show_sourcelink = False
html_last_updated_fmt = None
html_baseurl = ""
html_context = {"default_mode": "auto"}
html_theme_options = {
    "show_toc_level": 2,
    "use_download_button": False,
    "use_fullscreen_button": True,
    "home_page_in_toc": False,
    "show_navbar_depth": 1,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
# MathJax from npm, put there by tools.site: nothing is loaded from another host
mathjax_path = "mathjax/tex-chtml.js"
mathjax3_config = {"options": {"enableMenu": False}, "chtml": {"mtextInheritFont": True}}


def setup(app):
    rules = hashlib.sha256(Path(book.__file__).read_bytes()).hexdigest()
    app.add_config_value("page_rules", rules, "env")  # when these change, Sphinx reads every page again
    book.write_reference(ROOT / "docs" / "api")
    app.connect("source-read", book.on_source_read)
    app.connect("autodoc-process-docstring", book.on_docstring)
    app.connect("autodoc-process-signature", book.on_signature)
