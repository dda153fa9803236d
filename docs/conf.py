"""Settings of the documentation, which Sphinx reads: `make docs` builds it into docs/_build.

The folder that Sphinx takes its pages from is the whole project, so that lessons, exercises and the
change log are pages where they stand, and their links work on the site as they do in a clone.
"""

import sys
import tomllib
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS / "_extensions"))

project = "agentlab"
author = "the agentlab authors"
release = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))["project"]["version"]
copyright = "the agentlab authors, under Apache-2.0"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "command_help",
    "plain_docstrings",
]

root_doc = "docs/index"
include_patterns = [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "agentlab/practice/MODEL_CARD.md",
    "benchmarks/RESULTS.md",
    "docs/*.md",
    "docs/api/*.md",
    "exercises/*/README.md",
    "exercises/*/exercise.ipynb",
    "notebooks/*.ipynb",
]
# Not read at all, where the patterns above would only pass over each of their files.
exclude_patterns = [".*", "**/.*", "**/__pycache__", "docs/_build", "dist", "build", "tests"]

# --- lessons: shown as they are stored; `make notebooks` is what runs them

nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # it would come from another computer

# --- prose

myst_enable_extensions = []  # above all not dollarmath, to which $0.50 is a formula
myst_heading_anchors = 3
smartquotes = False  # quoted text is what an error really says
default_role = "code"  # one backtick, where a docstring has a line's end between two

# --- the reference

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 88
napoleon_numpy_docstring = False
napoleon_use_rtype = False

# --- the pages: everything on them comes from this folder

html_theme = "furo"
html_title = f"agentlab {release}"
html_static_path = ["_static"]
html_css_files = ["agentlab.css"]
html_additional_pages = {"index": "to_the_start.html"}
templates_path = ["_templates"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
