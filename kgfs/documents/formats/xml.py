"""XML that strangers wrote, parsed without entities, network or deep recursion.

Used by the readers of DOCX, XLSX and EPUB; pure.
"""

from __future__ import annotations

from typing import Any

from lxml import etree

from kgfs.documents.formats.reading import Unreadable


def parse_xml(data: bytes) -> Any:
    """The root element. ``Unreadable`` where it is no XML."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise Unreadable("It is broken (a part of it is not XML)") from error
    if root is None:
        raise Unreadable("It is broken (a part of it is not XML)")
    return root


def local_name(element: Any) -> str:
    """An element's name without its namespace; empty for comments and the like."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
