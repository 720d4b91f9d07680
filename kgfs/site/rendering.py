"""Records to HTML, by Jinja templates that escape everything; and the style and scripts that pages share.

Used by the views of ``@web`` (in threads) and by ``kgfs web``. Equal records give equal bytes.
"""

from __future__ import annotations

import functools
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from kgfs.site.records import Graph, Page

if TYPE_CHECKING:
    from jinja2 import Environment

ASSETS = ("cytoscape.LICENSE.txt", "cytoscape.min.js", "graph.js", "icon.svg", "live.js", "site.css", "site.js")
"""The files that pages share, in the order of their names."""


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'"
)
"""What a page may load: what stands beside it. No text can become a script, whatever it holds."""


@functools.cache
def asset(name: str) -> bytes:
    """One of ``ASSETS``."""
    return (resources.files("kgfs.site") / "assets" / name).read_bytes()


def served_script() -> bytes:
    """What ``kgfs web`` serves as ``live.js``: the search. As a file that script does nothing, for nothing answers."""
    return (resources.files("kgfs.site") / "assets" / "served.js").read_bytes()


def render(page: Page) -> bytes:
    """The page as HTML. Characters that have no encoding become ``?``."""
    kind = page.__struct_config__.tag
    return _templates().get_template(f"{kind}.html").render(page=page, frame=page.frame).encode("utf-8", "replace")


@functools.cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # here: most processes render no page

    from kgfs.site.markdown import passage_html

    templates = Environment(
        loader=PackageLoader("kgfs.site"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True, auto_reload=False,
    )  # fmt: skip
    templates.globals |= {"policy": POLICY, "zip": zip}
    templates.filters["passage"] = passage_html
    templates.filters["kind"] = kind_class
    return templates


def script_json(value: Graph) -> str:
    """A graph as JSON that may stand in a ``<script>``: nothing in it ends the element."""
    text = msgspec.json.encode(value).decode("utf-8", "replace")
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


_KINDS = {"organization", "person", "location", "concept", "event", "product", "work", "topic", "document"}


def kind_class(kind: str) -> str:
    """The class of the style sheet for a type of entity."""
    name = kind.casefold()
    return f"kind-{name}" if name in _KINDS else "kind-other"
