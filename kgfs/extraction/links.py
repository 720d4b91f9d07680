"""Links from a document to others: wikilinks, embeds, relative paths, and what a site's templates lead to.

Used by the extractor; pure. Targets are kept as written; the pipeline resolves them against the documents there are.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Literal
from urllib.parse import unquote

from kgfs.documents.markup import wikilink_parts
from kgfs.model import DocumentLink, ParsedDocument

_WIKI = re.compile(r"!?\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{1,300}))?\]\](?!\()")
"""``[[here]](https://…)`` is a link of Markdown in brackets."""
_INLINE = re.compile(
    r"(?<!\\)\[((?:[^\[\]\\\n]|\\.|\n(?!\n)){0,400})\]"
    r"\(\s*(?:<(?P<within>[^<>\n]{1,1000})>|(?P<bare>(?:[^()\s<>]|\([^()\s<>]{0,200}\)){1,1000}))(?:\s+\"[^\"\n]*\")?\s*\)"
)
_TEMPLATE = re.compile(
    r"(?<!\\)\[((?:[^\[\]\\\n]|\\.|\n(?!\n)){0,400})\]\(\s*"
    r"\{[{%][<%]?\s*(?P<tag>[^{}\n]{0,300}?)\s*[>%]?[}%]\}(?P<rest>[^()\s<>]{0,500})\s*\)"
)
"""``[leave]({% page "/leave/" %})``, ``({{< ref "leave.md" >}})``, ``({{ site.baseurl }}/leave/)``: of sites."""
_IN_TEMPLATE = re.compile(r"[\"']([^\"'\n]{1,300})[\"']|^(?:link|post_url)\s+(\S{1,300})$")
_ANCHOR = re.compile(r"<a\s[^<>]{0,500}?href\s*=\s*(?:\"([^\"\n]{1,1000})\"|'([^'\n]{1,1000})')[^<>]{0,500}>", re.I)
_BY_REFERENCE = re.compile(r"(?<![\\!])\[([^\[\]]{1,300})\]\[([^\[\]\n]{0,100})\]")
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
_ROLES = (
    re.compile(
        r":(?:doc|ref|numref|any|term|option|envvar|confval|command|program|(?:\w+:)?(?:mod|class|func|meth|attr)):"
        r"`(?:(?P<label>[^`<>]{1,300}?)\s*<(?P<target>[^`<>]{1,500})>|(?P<bare>[^`<>]{1,300}))`"
    ),
    re.compile(r"(?<!`)`(?P<label>[^`<>]{1,300}?)\s*<(?P<target>[^`<>\s]{1,500})>`__?(?!`)(?P<bare>)"),
)
"""Roles of reStructuredText (``:ref:`label <target>```), and links with their targets (`` `label <target>`_ ``)."""
_ADDRESS = re.compile(r"https?://[^\s/?#]{1,200}(?P<path>/[^\s?#]{0,500})", re.I)
WORDS_OF_ADDRESS = 3
_INDEX = re.compile(r"(?i)(?:_?index|readme|default|home)(?:\.\w{1,8})?")
_LETTER = re.compile(r"[^\W\d_]")
_PICTURE = re.compile(r"(?i)\.(?:png|jpe?g|gif|svg|webp|ico|bmp|mp4|webm|mov)(?:\?.*)?$")
_PAGE_SUFFIX = re.compile(r"(?i)\.(?:adoc|aspx?|erb|html?|jsp|markdown|mdx?|org|php|rst|txt)$")
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
        target, label = wikilink_parts(match[1], match[2])
        target = target.partition("#")[0].strip()
        if target:
            kind: Literal["wikilink", "embed"] = "embed" if match[0].startswith("!") else "wikilink"
            link = DocumentLink(target=target, kind=kind, label=label)
            found.setdefault((kind, target), link)
    for label, raw in _paths(text):
        raw = raw.strip("\"'")
        if _ELSEWHERE.match(raw):
            continue
        target = unquote(raw.split("#", 1)[0].split("?", 1)[0]).strip()
        if target:
            found.setdefault(("path", target), DocumentLink(target=target, kind="path", label=" ".join(label.split())))
    return list(found.values())


def references(text: str) -> dict[str, str]:
    """What the labels of reference links stand for, in small letters: ``[01]: overview.md``."""
    return {match[1].casefold(): match[2] for match in _REFERENCE.finditer(text)}


def sentence_links(quote: str, known: dict[str, str]) -> list[tuple[str, str]]:
    """Label and target of each link of a sentence, as it stands in the document, that leads to another document.

    ``known`` are the document's references. A link that shows no words (``[](x.md)``, a picture) says nothing. What a
    whole address leads to may be a document too: ``path_keys`` tells by which names.
    """
    found = [
        (match[1], match["within"] or match["bare"])
        for match in _INLINE.finditer(quote)
        if quote[max(0, match.start() - 1) : match.start()] != "!"
    ]
    for match in _TEMPLATE.finditer(quote):
        said = _IN_TEMPLATE.search(match["tag"])
        found.append((match[1], (said[1] or said[2]) if said is not None else match["rest"]))
    for match in _BY_REFERENCE.finditer(quote):
        found.append((match[1], known.get((match[2] or match[1]).casefold(), "")))
    wikilinks = (wikilink_parts(match[1], match[2]) for match in _WIKI.finditer(quote))
    found += [(label or target, target) for target, label in wikilinks]
    if "`" in quote:
        for match in (match for pattern in _ROLES for match in pattern.finditer(quote)):
            target = (match["target"] or match["bare"]).lstrip("~!")
            found.append((match["label"] or target, target))
    shown = [(" ".join(label.split()).strip("*_`"), target) for label, target in found]
    return [
        (label, target.split("#", 1)[0])
        for label, target in shown
        if label and target and _leads_on(target) and (path := target.split("#", 1)[0]) and not _PICTURE.search(path)
    ]


def _leads_on(target: str) -> bool:
    return _ELSEWHERE.match(target) is None or _ADDRESS.match(target) is not None


def path_keys(target: str, place: str = "") -> list[str]:
    """By which names a page may be known that a target leads to, the surest first: its last three parts, two, one.

    ``place`` is the path of the document that the link stands in. Of a whole address the last part alone is a name
    where it has three words or more: ``/config/`` is on every site. Numbers at the end are one name, with the part
    before them: ``/news/2020/12/16/``.
    """
    address = _ADDRESS.match(target)
    path = unquote((address["path"] if address is not None else target).split("?", 1)[0])
    if (address is None and path.startswith(".")) or "/" not in path:
        path = posixpath.normpath(posixpath.join("/", posixpath.dirname(place), path))
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    if parts and _INDEX.fullmatch(parts[-1]):
        parts.pop()  # the page of its folder
    if not parts:
        return []
    names = [target_name(part) for part in parts]
    last = names[-1]
    if not _LETTER.search(last):
        # "/news/2020/12/16/": a day of a month is the last part of many.
        spelled = [place for place, name in enumerate(names) if _LETTER.search(name)]
        return ["/".join(names[spelled[-1] if spelled else 0 :])]
    keys = ["/".join(names[-count:]) for count in (3, 2) if len(names) >= count]
    if address is None or len(last.split()) >= WORDS_OF_ADDRESS:
        keys.append(last)
    return [key for key in keys if key.strip("/")]


def is_front_page(path: str) -> bool:
    """Whether a document is that of its folder: ``index.md``, ``README.md``."""
    return _INDEX.fullmatch(posixpath.basename(path)) is not None


def leads_beneath(target: str) -> bool:
    """Whether a link leads to a page in its document's folder, or in one beneath it."""
    return _ELSEWHERE.match(target) is None and not posixpath.normpath(target).startswith(("/", ".."))


def target_name(target: str) -> str:
    """The name that the last part of a path spells, in small letters: ``transit benefit`` of ``/transit-benefit/``."""
    last = unquote(target).strip("/ ").rpartition("/")[2]
    return re.sub(r"[-_+\s]+", " ", _PAGE_SUFFIX.sub("", last)).strip().casefold()


def _paths(text: str) -> Iterator[tuple[str, str]]:
    """Label and target of each link that is no wikilink, as written."""
    for match in _INLINE.finditer(text):
        yield match[1], match["within"] or match["bare"]
    for match in _TEMPLATE.finditer(text):
        said = _IN_TEMPLATE.search(match["tag"])
        yield match[1], (said[1] or said[2]) if said is not None else match["rest"]
    for match in _REFERENCE.finditer(text):
        yield match[1], match[2]
    for match in _ANCHOR.finditer(text):
        yield "", match[1] or match[2]


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
        label = " ".join((match["label"] or "").split())
        if target.startswith("id:") and mime_type == "text/x-org":
            # A document is known by its id wherever it lies.
            found.setdefault(target, DocumentLink(target=target[len("id:") :], kind="wikilink", label=label))
        elif target and not _ELSEWHERE.match(target):
            found.setdefault(target, DocumentLink(target=unquote(target), kind="path", label=label))
    return list(found.values())
