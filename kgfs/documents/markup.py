"""Inline markup taken off a sentence, with the links that it held: Markdown's, and what other markup has beside it.

Used by formats (titles, descriptions) and extraction, in the worker process; pure. Patterns instead of a parser: this
runs on every sentence, and the quote that a fact keeps is the text as it stands in the document, not this.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_MARKUP = re.compile(
    r"\[\[(?P<orgtarget>[^\[\]\n]{1,1000})\]\[(?P<orglabel>[^\[\]]{1,300})\]\]"
    r"|!?\[\[(?P<wiki>[^\[\]|\n]{1,300})(?:\|(?P<wikilabel>[^\[\]\n]{1,300}))?\]\](?!\()"
    r"|(?<![^\n])!\[[^\]\n]{0,300}\]\([^)\n]{0,2000}\)[ \t]*\n"
    r"|!\[(?P<alt>[^\]\n]{0,300})\]\([^)\n]{0,2000}\)"
    r"|\[\^[^\[\]\s]{1,40}\](?!:)"
    r"|(?<=[\w.,;:)\"”’*])(?:\[(?:[1-9]\d{0,2}|[a-z]|[Nn]ote \d{1,3}|citation needed)\])+(?=[\s.,;:)]|$)"
    r"|(?<!\\)\[(?P<label>(?:[^\[\]\\]|\\.){1,400})\](?:\((?:<(?P<angled>[^<>\n]{1,2000})>|"
    r"(?P<target>(?:[^()\s]|\([^()\s]*\)){0,2000}))(?:\s+\"[^\"\n]*\")?\)"
    r"|\[(?P<reference>[^\]\n]{0,100})\])"
    r"|(?<!\\)\[(?P<sitelabel>(?:[^\[\]\\]|\\.){1,400})\]\(\s*\{[{%][^{}\n]{0,300}[%}]\}[^()\s]{0,500}\s*\)"
    r"|<(?P<auto>https?://[^>\s]{1,2000})>"
    r"|(?::[A-Za-z][\w:+.-]{0,40}:)?(?<!`)`(?P<rstlabel>[^`<>]{0,300}?)\s*<(?P<rsttarget>[^`<>\n]{1,1000})>`_{0,2}(?!`)"
    r"|:(?P<kind>[A-Za-z][\w:+.-]{0,40}):`[~!]?(?P<role>[^`]{1,300})`"
    r"|`(?P<named>[^`\n<>]{1,200})`__?(?!\w)"
    r"|<<(?P<adocid>[^<>,\n]{1,300})(?:,\s*(?P<adoclabel>[^<>\n]{1,300}))?>>"
    r"|\b(?:(?:xref|link|mailto):(?P<adoctarget>[^\s\[\]]{1,1000})|(?P<adocurl>https?://[^\s\[\]<>]{1,1000}))\[(?P<adoctext>[^\[\]\n]{0,300})\]"
    r"|\[\.[\w.-]{1,40}\]#(?P<styled>[^#\n]{1,200})#"
    r"|(?<![\w+])(?P<plus>\+{1,2})(?=[^\s+])(?P<mono>[^+\n]{1,80}(?<=\S))(?P=plus)(?![\w+])"
    r"|\({3}(?:[^()]|\([^()]{0,100}\)){1,300}\){3}"
    r"|(?P<break>\s*<br\s*/?>\s*)|</?[A-Za-z][^<>\n]{0,300}>|<!--[^>]{0,500}-->|%%[^%\n]{1,300}%%"
    r"|\{[%{]<?\s*slack_?-?channel\s+[\"']#?(?P<channel>[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*)[\"'][^{}\n]{0,100}[%}]\}"
    r"|\{%[^%\n]{0,300}%\}|\{\{[<%][^{}\n]{0,500}[>%]\}\}|\{:[ .#][^{}\n]{0,200}\}"
    r"|(?P<code>`+)(?P<inner>[^`\n]{0,500})(?P=code)"
    r"|\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)|~~"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|&(?P<entity>amp|nbsp|quot|lt|gt|mdash|ndash|rsquo|lsquo|hellip);"
    r"|(?P<space>\s+)",
    re.S,
)
"""A picture on a line of its own is no part of the sentence below it; a number in brackets behind a word is a note."""
_OTHER_LINKS = (
    ("orgtarget", "orglabel"), ("rsttarget", "rstlabel"), ("adocid", "adoclabel"), ("adoctarget", "adoctext"),
    ("adocurl", "adoctext"),
)  # fmt: skip
"""Links of Org, reStructuredText and AsciiDoc, which mean nothing in Markdown: target and label."""
_ENTITIES = {"amp": "&", "nbsp": " ", "quot": '"', "lt": "<", "gt": ">", "mdash": "—", "ndash": "–",
             "rsquo": "’", "lsquo": "‘", "hellip": "…"}  # fmt: skip
_SERIES = frozenset({"pep", "rfc", "cve", "cwe"})
"""Roles of reStructuredText whose text is a number of a series: ``:pep:`703```."""
_SUFFIX = re.compile(r"\.(?!md$)\w{2,5}$")
_NEEDED = re.compile(r"[\[\]*_`<\\&~{+\n\t\r]|  |\(\(\(")
_LEAD = re.compile(r"(?:[ \t]*(?:>|[-*+•](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX]\](?=\s)|\[!\w+\][+-]?(?=\s)))+[ \t]*")
_QUOTE_LINES = re.compile(r"\n[ \t]*(?:>[ \t]?)+")


@dataclass(slots=True)
class PlainLink:
    """A link in a plain sentence: where its label stands there, what it points to."""

    start: int
    end: int
    target: str
    wiki: bool


@dataclass(slots=True)
class PlainSentence:
    """A sentence without markup."""

    text: str
    links: list[PlainLink] = field(default_factory=list)
    code: list[tuple[int, int]] = field(default_factory=list)
    """Where code spans stand, and what a role of reStructuredText marks."""


_NOTE_PATH = re.compile(r"(?:dendron://[\w.-]+/)?(?P<name>[\w-]+(?:\.[\w-]+)+(?:#\S*)?)")
"""A note by the names above it, as Dendron has them: ``dendron://vault/lamps.wick#trim``."""


def wikilink_parts(first: str, second: str | None) -> tuple[str, str]:
    """The target of a wikilink and its label, which may be empty; without the stroke before a bar in a table.

    ``[[target|label]]``; in Dendron ``[[label|lamps.wick]]``.
    """
    first, second = first.strip().removesuffix("\\").strip(), (second or "").strip()
    path = _NOTE_PATH.fullmatch(second or first)
    if path is not None and not (second and _NOTE_PATH.fullmatch(first)):
        return path["name"], first if second else ""
    return first, second


def strip_lead(raw: str) -> int:
    """How many characters of list, quote, callout (``[!note]``) and task markers stand before the text of a leaf."""
    found = _LEAD.match(raw)
    return found.end() if found else 0


def plain_sentence(raw: str) -> PlainSentence:
    """``raw`` without inline markup and with runs of white space as one space."""
    if not _NEEDED.search(raw):
        return PlainSentence(raw.strip())
    raw = raw.strip()
    if "\n" in raw and ">" in raw:
        raw = _QUOTE_LINES.sub("\n", raw)
    pieces: list[str] = []
    links: list[PlainLink] = []
    code: list[tuple[int, int]] = []
    length = 0
    position = 0
    for found in _MARKUP.finditer(raw):
        before = raw[position : found.start()]
        pieces.append(before)
        length += len(before)
        position = found.end()
        label, target = _meaning(found)
        if target is not None:
            inside = plain_sentence(label) if "[" not in label else PlainSentence(label)
            label = inside.text
            code += ((length + start, length + end) for start, end in inside.code)
            wiki = found["wiki"] is not None and not target.startswith(("id:", "file:"))
            links.append(PlainLink(length, length + len(label), target, wiki))
        elif any(found[kind] is not None for kind in ("inner", "role", "mono")):
            code.append((length, length + len(label)))
        pieces.append(label)
        length += len(label)
    pieces.append(raw[position:])
    return PlainSentence("".join(pieces), links, code)


def _meaning(found: re.Match[str]) -> tuple[str, str | None]:
    """What stands in the place of one piece of markup, and where it points to, if it is a link."""
    if found["wiki"] is not None:
        target, label = wikilink_parts(found["wiki"], found["wikilabel"])
        if found[0].startswith("!") and _SUFFIX.search(target):
            return "", None  # a picture: behind the bar stands its width
        return label or target.partition("#")[0] or target, target
    if found["channel"] is not None:
        return f"#{found['channel']}", None  # as the site shows it
    if found["label"] is not None:
        return re.sub(r"\s+", " ", found["label"]), found["angled"] or found["target"]
    for target, label in _OTHER_LINKS:
        if found[target] is not None:
            return re.sub(r"\s+", " ", found[label] or "").strip().rstrip("^") or found[target], found[target]
    if found["kind"] in _SERIES and found["role"][:1].isdigit():
        return f"{found['kind'].upper()} {found['role'].partition('#')[0]}", None
    for name in ("alt", "inner", "escaped", "role", "named", "sitelabel", "styled", "mono"):
        if found[name] is not None:
            return re.sub(r"\s+", " ", found[name]), None
    if found["entity"]:
        return _ENTITIES[found["entity"]], None
    return (" " if found["space"] or found["break"] else ""), None
