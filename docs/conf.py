"""How the guides become pages, a man page and plain text: `make docs`."""

from typing import Any

from sphinx.application import Sphinx

from contest import __version__

project = "knobeln"
author = "the authors of knobeln"
version = release = __version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
# the latter stands alone, for readers of the repository
exclude_patterns = ["_build", "archive-example"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"knobeln {version}"
html_show_copyright = False
html_show_sourcelink = False
# Guides are read without a network too: nothing is fetched from elsewhere.
html_theme_options = {"footer_icons": []}

man_pages = [
    ("reference/commands", "knobeln", "a contest server that lives in a mailbox", [author], 1)
]


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", _level_captions, priority=900)  # after furo has made its tree


def _level_captions(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Say which level the captions of the navigation are: Sphinx makes them headings without
    one."""
    tree = context.get("furo_navigation_tree")
    if tree:
        context["furo_navigation_tree"] = tree.replace(
            'role="heading"', 'role="heading" aria-level="2"'
        )
