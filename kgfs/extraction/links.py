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
_AS_MARKDOWN = frozenset(
    "text/markdown text/html text/x-tex application/rtf application/vnd.oasis.opendocument.text "
    "application/epub+zip".split()
)
_OTHER_MARKUP: dict[str, tuple[re.Pattern[str], ...]] = {
    "text/x-rst": (
        re.compile(r":doc:`(?:(?P<label>[^`<>]{1,300}?)\s*<)?(?P<target>[^`<>\s]{1,500})>?`"),
        re.compile(r"`(?P<label>[^`<>]{0,300}?)\s*<(?P<target>[^`<>\s]{1,500})>`_"),
        re.compile(r"^\.\. _[^:\n]{1,200}: (?P<target>\S{1,500}?)(?P<label>)$", re.M),
    ),
    "text/x-org": (re.compile(r"\[\[(?:file:)?(?P<target>[^\[\]\n]{1,500})\](?:\[(?P<label>[^\[\]]{1,300})\])?\]"),),
    "text/asciidoc": (
        re.compile(r"\b(?:xref|link):(?P<target>[^\s\[\]]{1,500})\[(?P<label>[^\[\]\n]{0,300})\]"),
        re.compile(r"<<(?P<target>[^<>,\s]{1,300}\.[a-z]{2,8}#[^<>,\n]{0,100})(?:,\s*(?P<label>[^<>\n]{1,300}))?>>"),
    ),
}
"""Links of other markup: role ``doc``, embedded targets, ``[[file:x][label]]``, ``xref:x[label]``."""
_CODE_OF = {
    "text/x-rst": re.compile(r"``[^`\n]{1,500}``"),
    "text/x-org": re.compile(r"^[ \t]*#\+begin_(src|example)\b.*?^[ \t]*#\+end_\1\b", re.M | re.S | re.I),
    "text/asciidoc": re.compile(r"^(-{4,}|\.{4,})\n.*?^\1$", re.M | re.S),
}
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#|\{|mailto:")


def document_links(document: ParsedDocument) -> list[DocumentLink]:
    """The links of a document in a markup that has some, each target once, in order; none in other formats."""
    if document.text and document.mime_type in _OTHER_MARKUP:
        return _other_links(document.text, document.mime_type)
    if not document.text or document.mime_type not in _AS_MARKDOWN:
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


def _other_links(text: str, mime_type: str) -> list[DocumentLink]:
    found: dict[str, DocumentLink] = {}
    text = _CODE_OF[mime_type].sub(" ", text)
    matches = sorted(
        (match for pattern in _OTHER_MARKUP[mime_type] for match in pattern.finditer(text)), key=lambda one: one.start()
    )
    for match in matches:
        if mime_type == "text/x-org" and match["target"].startswith(("*", "#")):
            continue  # a heading of the same file
        target = match["target"].split("#", 1)[0].split("::", 1)[0]
        if not target or (_ELSEWHERE.match(target) and not target.startswith("id:")):
            continue
        label = " ".join((match["label"] or "").split())
        found.setdefault(target, DocumentLink(target=unquote(target), kind="path", label=label))
    return list(found.values())
