"""Links from a document to others: wikilinks, embeds and relative paths.

Used by the extractor; pure. Targets are kept as written; the pipeline resolves them against the documents there are.
"""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import unquote

from kgfs.model import DocumentLink, ParsedDocument

_WIKI = re.compile(r"!?\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{1,300}))?\]\]")
_INLINE = re.compile(r"(?<!\\)\[((?:[^\[\]\\\n]|\\.|\n(?!\n)){0,400})\]\(<?([^()\s<>]{1,1000})>?(?:\s+\"[^\"\n]*\")?\)")
_REFERENCE = re.compile(r"^ {0,3}\[([^\]\n]{1,200})\]:\s*<?(\S{1,1000}?)>?(?:\s+[\"'(].*)?$", re.M)
_NOT_READ = re.compile(
    r"^ {0,3}(`{3,}+|~{3,}+)[^\n]*+\n(?:.*?^ {0,3}\1[`~]*+[ \t]*+$|.*)"
    r"|(?<!`)(`++)[^\n]{0,500}?(?<!`)\2(?!`)|%%.*?%%",
    re.M | re.S,
)
"""Code, and Obsidian's comments: ``[[ -f x ]]`` in a script links to nothing."""
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#|\{|mailto:")


def document_links(document: ParsedDocument) -> list[DocumentLink]:
    """The links of a Markdown or HTML document, each target once, in order; none in other formats."""
    if not document.text or document.mime_type not in ("text/markdown", "text/html"):
        return []
    found: dict[tuple[str, str], DocumentLink] = {}
    text = _NOT_READ.sub(" ", document.text) if document.mime_type == "text/markdown" else document.text
    for match in _WIKI.finditer(text):
        target = match[1].partition("#")[0].strip().removesuffix("\\")  # in a table the bar is escaped
        if target:
            kind: Literal["wikilink", "embed"] = "embed" if match[0].startswith("!") else "wikilink"
            link = DocumentLink(target=target, kind=kind, label=(match[2] or "").strip())
            found.setdefault((kind, target), link)
    for pattern in (_INLINE, _REFERENCE):
        for match in pattern.finditer(text):
            raw = match[2]
            if _ELSEWHERE.match(raw):
                continue
            target = unquote(raw.split("#", 1)[0].split("?", 1)[0])
            if target:
                label = " ".join(match[1].split())
                found.setdefault(("path", target), DocumentLink(target=target, kind="path", label=label))
    return list(found.values())
