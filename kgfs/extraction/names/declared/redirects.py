"""Pages that only lead on to another one, by their front matter or by all that their text says.

Used for the names that documents declare; pure. Such a page is another name of what the other one is about.
"""

from __future__ import annotations

import re

from kgfs.documents.markup import plain_sentence
from kgfs.model import ParsedDocument

_KEYS = ("redirect", "redirect_to", "redirects_to")
_FRONT = re.compile(r"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*$", re.S | re.M)
_HEADING = re.compile(r"^#[ \t](?!redirect\b)[^\n]*$", re.M | re.I)
_MOST = 400
"""Characters of the text of a page whose front matter says where it leads."""
_TO_LINK = re.compile(
    r"(?:this page )?(?:# ?)?redirect(?:s|ed|ing)?(?: to)?:?\s*"
    r"(?:\[\[(?P<page>[^\[\]|#\n]{1,160})(?:[|#][^\[\]\n]*)?\]\]|\[(?P<label>[^\[\]\n]{1,160})\]\((?!\w+://)[^()\n]*\))\.?",
    re.I,
)
_LINK = re.compile(r"\[\[([^\[\]|#\n]+)[^\[\]\n]*\]\]")
_NAME = re.compile(r"[^\W_a-z][^\n/\\:]{1,119}")
"""A name, as it is written in titles: no address, no name of a file in small letters."""


def redirect_target(document: ParsedDocument) -> str | None:
    """What the page is about to which a page only leads, empty where no name says it; ``None`` for any other page."""
    if not document.mime_type.startswith("text/"):
        return None
    text = (document.text or "")[: 10 * _MOST]
    body = _HEADING.sub("", _FRONT.sub("", text, count=1)).strip()
    said = next((value for key in _KEYS if isinstance(value := document.front_matter.get(key), str) and value), "")
    if said and len(body) <= _MOST and len(text) < 10 * _MOST:
        return _named(said)
    found = _TO_LINK.fullmatch(body)
    return _named(found["page"] or plain_sentence(found["label"]).text) if found is not None else None


def _named(said: str) -> str:
    """The name that a target gives: ``/places/Northern_Land.md`` is *Northern Land*."""
    link = _LINK.fullmatch(said.strip())
    name = (link[1] if link is not None else said).strip()
    if "://" in name:
        return ""
    name = re.sub(r"\.(?:md|html?)$", "", name.rstrip("/")).rpartition("/")[2]
    name = " ".join(name.replace("_", " ").split())
    return name if _NAME.fullmatch(name) else ""
