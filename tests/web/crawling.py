"""Reading every page of the website as a browser would, without one: links, ids, and what could run."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from lxml import html

from kgfs.namespace.namespace import Namespace

ROOT = "@web"
Read = Callable[[str], bytes]
"""The bytes of a file of the website, by its path from the root."""


class Page(NamedTuple):
    """A page: its path from the root of the website, and its elements."""

    path: str
    tree: html.HtmlElement

    def links(self) -> Iterator[tuple[str, str]]:
        """Paths from the root, and fragments, of all that it links to or shows and that is no other site's."""
        for element, _, link, _ in self.tree.iterlinks():
            parts = urlsplit(link)
            if parts.scheme or (element.tag == "script" and not link):
                continue
            target = posixpath.join(posixpath.dirname(self.path), unquote(parts.path)) if parts.path else self.path
            yield posixpath.normpath(target), parts.fragment


def page(path: str, data: bytes) -> Page:
    return Page(path, html.fromstring(data.decode()))


def files(tree: Namespace) -> dict[str, int]:
    """All files of the website that listings name, by path from its root, with their nodes."""
    found: dict[str, int] = {}
    waiting = [("", tree.resolve(ROOT))]
    while waiting:
        above, node = waiting.pop()
        if tree.pending(node):
            tree.prepare(node)
        for entry in tree.entries(node):
            path = posixpath.join(above, entry.name)
            if tree.row(entry.node).kind == "d":
                waiting.append((path, entry.node))
            else:
                found[path] = entry.node
    return found


def data(tree: Namespace, node: int) -> bytes:
    body = tree.peek(node) or tree.load(node)
    return body.read(0, body.size + 1)


def check_links(pages: dict[str, Page], names: set[str]) -> int:
    """That each link of each page leads to a file that is there, and its fragment to an element; how many there are."""
    ids = {path: set(each.tree.xpath("//@id")) for path, each in pages.items()}
    count = 0
    for path, each in pages.items():
        for target, fragment in each.links():
            count += 1
            assert target in names, f"{path} leads to {target}"
            assert not fragment or fragment in ids[target], f"{path} leads to {target}#{fragment}"
    return count


def check_shape(each: Page) -> None:
    """What a keyboard and a screen reader need."""
    tree, path = each.tree, each.path
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids)), path
    assert len(tree.xpath("//h1")) == len(tree.xpath("//main[@id='main']")) == 1, path
    assert tree.get("lang") == "en" and tree.findtext(".//title"), path
    assert tree.xpath("//body/*")[0].get("href") == "#main", path
    assert all(name for name in tree.xpath("//nav/@aria-label")) and tree.xpath("//nav[@aria-label='Sections']"), path
    assert all(image.get("alt") for image in tree.xpath("//img")), path
    assert all(table.find("caption") is not None for table in tree.xpath("//table[@data-sortable]")), path
    assert all(head.get("scope") for head in tree.xpath("//table[@data-sortable]//th")), path
    assert set(tree.xpath("//*[@aria-labelledby]/@aria-labelledby")) <= set(ids), path
    assert all((link.text_content().strip() or link.find(".//img") is not None) for link in tree.xpath("//a")), path


def check_nothing_runs(each: Page) -> None:
    """That no text became an element or an attribute that does something."""
    tree, path = each.tree, each.path
    for script in tree.iter("script"):
        of_ours = posixpath.dirname(str(script.get("src"))).endswith("assets") and not (script.text or "").strip()
        assert of_ours or script.get("type") == "application/json", path
    allowed = {
        "a", "aside", "blockquote", "body", "br", "caption", "circle", "code", "dd", "details", "div", "dl", "dt",
        "em", "figcaption", "figure", "footer", "h1", "h2", "head", "header", "hr", "html", "img", "li", "link",
        "main", "mark", "meta", "nav", "ol", "p", "path", "pre", "script", "section", "span", "strong", "summary",
        "svg", "table", "tbody", "td", "th", "thead", "title", "tr", "ul",
    }  # fmt: skip
    for element in tree.iter("*"):
        assert element.tag in allowed, f"{path}: {element.tag}"
        for name, value in element.attrib.items():
            assert not name.startswith("on") and name not in ("style", "srcdoc", "formaction"), f"{path}: {name}"
            if name in ("href", "src"):
                assert urlsplit(value).scheme in ("", "http", "https", "mailto"), f"{path}: {value}"
            if element.tag == "img":
                assert not urlsplit(element.get("src")).scheme, path
