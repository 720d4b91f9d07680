"""Where a page says that one can ask: channels of a chat, addresses, mailing lists, teams of a code host, in sentences and front matter.

Used by ``guide_facts``; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kgfs.extraction.facts.marks import MARK, mark_numbers

_CHANNEL = re.compile(
    r"(?<![\w/#&(=.:-])(?<!=[\"'])\(?#(?P<name>[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+|[a-z]{3,30})(?![\w/#:-])"
)
_TAG = re.compile(r"\{[%{]<?\s*slack_?-?channel\s+[\"']#?(?P<name>[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*)[\"']")
"""A channel as a template of a site has it: ``{% slack_channel "people-ops" %}``."""
_ADDRESS = re.compile(
    r"(?<![\w@/.+-])(?P<name>[A-Za-z0-9][\w.-]{1,40}@[A-Za-z][\w-]{1,40}(?:\.[A-Za-z][\w-]{0,30}){1,4})(?![\w@-])"
)
"""An address; what has a plus is one that somebody made up for a filter: ``ann+lamps@acme.com``."""
_TEAM = re.compile(r"(?<![\w@/.])(?P<name>@[a-z][a-z0-9-]{1,38}/[a-z][a-z0-9-]{2,60})(?![\w/-])")
"""A team of a code host: ``@acme/lamp-reviewers``."""
_LIST = re.compile(
    r"\[[^\[\]\n]{0,40}(?i:mailing list|google group|mail list|e-mail list)[^\[\]\n]{0,40}\]\(https?://"
    r"(?:groups\.google\.com/(?:a/(?P<domain>[\w.-]+)/)?(?:forum/\??#!forum|forum/\?#!forum|g|group|d/forum)/(?P<group>[\w.-]+)"
    r"|(?P<host>lists?\.[\w.-]+)/(?:[\w.-]+/)*?(?:listinfo/|list/|lists/|g/)(?P<list>[\w.@-]+))/?\)"
)
"""A link to the page of a mailing list."""
_OF_CHAT = re.compile(
    r"\b(?:ask(?:ing)?|contact|reach(?: out)?|ping|(?:any|other|further|more|have|got|your|with|for|ask|direct|send|bring|raise|post|answer(?:ing)?) questions?|^questions?|check with|consult(?:ing)?(?: with)?|get in touch with|give a shout in|come chat in|send a message (?:to|in)|coordinate with|let us know in|request \w+(?: \w+)? in|(?:for|get|need|your) (?:help|support)|support channel|help channel|hop into|"
    r"post(?:ing)? (?:a message |a question |your question |it |them )?(?:in|to))\b",
    re.I,
)
"""A channel that is only named, or announced in, is nobody to ask."""
_TO_ASK = re.compile(
    r"\b(?:contact|e-?mail(?:ing|ed)?|ask(?:ing)?|reach(?:ing)?|writ(?:e|ing)|questions?|(?<!an )(?<!a )(?<!the )report(?:ing)?|send(?:ing)? (?:an? |your |any )?(?:e-?mail|message|note|question|request)s?|mail(?:ing)?|get in touch|message|messag(?:e|ing)|notify|support|help|feedback|enquir(?:y|ies)|ping|post(?:ing)?|join|discuss(?:ion)?)\b",
    re.I,
)
_LISTS = re.compile(
    r"(?i)\b(?:mailing|e-?mail|mail|discussion) lists?\b|\bcommunication channels?\b|\bdiscussion (?:forums?|boards?)\b"
)
"""What is only called after what one does there: *the mailing list*."""
_HELD = re.compile(r"[`*_\])]*(?:\([^)\s]*\))? (?:account|mailbox|inbox|login|user|alias|password|credentials)\b")
"""Behind an address that somebody has, and nobody asks."""
_NEAR = 90
"""Characters from a word that says so to an address that one can write to."""
_EXAMPLE = re.compile(
    r"\be\.g\.|\b(?:for example|for instance|such as|like|example)\b|example\.(?:com|org|net)|@(?:example|acme|domain|company|yourdomain|email|mail|projectname|your-?project|project|PROJECT)\.|(?:un)?subscribe@|no-?spam\b",
    re.I,
)
_CONTACTS = re.compile(
    r"(?i)[^a-z]*(?:contact(?: us| info(?:rmation)?| details)?|contacts|contacting(?: us)?|get(?:ting)? (?:help|support|in touch)|help|questions\??|where to (?:ask|get help)|"
    r"how to reach us|reach us|support(?: channels?)?|need help\??|more help)[^a-z]*"
)
"""Headings beneath which each channel and address is one to ask."""
_OF_HELP = re.compile(
    r"(?i)\b(?:contacts?|help|support|questions?|feedback|reach|ask|slack|channels?|communicat\w+|owners?)\b"
)
"""Headings of what says whom to ask."""
_ABOUT = re.compile(
    rf"(?<!open an )(?<!file an )(?<!create an )\b(?:questions?|help|issues?|problems?|support|advice|feedback|assistance|enquir(?:y|ies)|access|information) (?:about|with|on|regarding|for|to|related to|using) (?:the |your )?(?P<o>{MARK})(?=[,.;:)]|$| (?:contact|email|ask|reach|please|you|to|in|or|and|team|that|which|report)\b)"
)
_OF_NAMED = re.compile(
    r"\b(?:bugs?|issues?|problems?|trouble|vulnerabilit(?:y|ies)) (?:with|in) (?:the )?(?P<name>[A-Z][\w.+-]*\w(?: [A-Z][\w.+-]*\w)*)(?=[,.;:)]|$| (?:that|which|you|please|contact|email|report|to|in|or|and)\b)"
)
_WRITERS = re.compile(r"\b(?:us|we|our)\b", re.I)
_ONE_WRITER = re.compile(r"\b(?:me|my)\b")
_FRONT_KEYS = re.compile(
    r"(?:owner_|team_|support_)?slack(?:_channels?)?|(?:owner|contact|support|team)_e?mail|contacts?|questions|support|help|e?mail|owner|team|channels?"
)
_BARE = frozenset(
    {"questions", "slack", "slack_channel", "slack_channels", "channel", "channels", "team_slack", "owner_slack"}
)
"""Keys whose values are channels though they have no sign."""
_BARE_NAME = re.compile(r"(?!true$|false$|yes$|no$|none$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


_BANNER = re.compile(
    r"<(?P<tag>div|section|aside|p|footer|header)\b[^>]*\bclass=[\"'][^\"']*(?:banner|alert|announce|notice|promo|footer|cookie)[^\"']*[\"'][^>]*>"
)
"""The start of a part of a page that a site shows on many of its pages."""


def is_in_banner(text: str, place: int) -> bool:
    """Whether a place lies in a banner of the site, which says nothing of the page that it is shown on."""
    start = text.rfind("\n\n", 0, place) + 1
    opened = list(_BANNER.finditer(text, start, place))
    return bool(opened) and f"</{opened[-1]['tag']}>" not in text[opened[-1].end() : place]


_OF_CHANNELS = re.compile(
    r"(?i)(?:.{0,30} )?(?:slack|discord|mattermost|zulip|irc|chat)(?: channels?)?(?: .{0,40})?|(?:.{0,30} )?channels?(?: .{0,40})?|"
    r"communications?"
)
"""Headings beneath which a list says which channels there are."""
_LISTED = re.compile(
    r"[-*+ \t]*(?:(?:,|and|,? or)? ?(?:"
    + _TAG.pattern.replace("?P<name>", "?:")
    + r"[^%}\n]*[%}]\}|\[?#[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*\]?(?:\([^()\s]*\))?))+"
)
"""The channels with which an item opens."""
_MAIL_LINK = re.compile(
    r"\[(?P<label>[^\[\]\n@]{2,60})\]\(mailto:(?P<name>[^\s()?<>]+@[^\s()?<>]+)[^()\n]{0,200}\)"
    r"|<a\b[^<>]{0,100}\bhref=[\"']mailto:(?P<name_html>[^\"'?\s]+@[^\"'?\s]+)[^<>]{0,200}>(?P<label_html>[^<>@\n]{2,60})</a>"
)
_NAMED_TAG = re.compile(_TAG.pattern + r"\s+[\"'](?P<label>[^\"'\n#]{2,60})[\"']\s*[%}]\}")
"""A template with what the channel's link says: ``{% slack_channel "talent" "the Talent team" %}``."""
_LABEL = re.compile(
    r"(?:[-*+] )?[*_]{0,2}(?:\[(?P<linked>[^\[\]\n]{2,80})\]\([^()\n]*\)|(?P<plain>[^\[\]:–—\n{}@#]{2,60}?))[*_]{0,2}"
    r"(?: \([^()\n]{1,20}\))?[*_]{0,2} ?(?::| [-–—] )[*_]{0,2}\s*(?P<rest>[^\n]*(?:\n[ \t]+[^-*+\s][^\n]*)*)"
)
"""An item that is a label and what stands behind it."""
_CONTACT_WORDS = re.compile(
    r"(?i)\b(?:contacts?|e-?mails?|slack|discord|channels?|the|or|and|at|in|via|on|inbox|address|mailing list|points? of contact|by)\b"
)
_IS_CONTACT = re.compile(
    r"(?i)(?:[-*+] )?[*_]{0,2}(?:contacts?|e-?mail|slack(?: channels?)?|points? of contact)[*_]{0,2}:[*_]{0,2}\s*(?P<rest>.*)",
    re.S,
)
_ANY_LINK = re.compile(r"\[([^\[\]\n]*)\]\([^()\n]*\)")


class Contact(NamedTuple):
    """Where a sentence says that one can ask."""

    name: str
    type: str


class FrontContact(NamedTuple):
    """Whom front matter names as who is asked about a page."""

    name: str
    type: str
    start: int
    end: int
    """The lines of its key, in characters of the text."""


def is_of_contacts(heading: str) -> bool:
    """Whether a section with this heading says whom to ask."""
    return _CONTACTS.fullmatch(heading) is not None


def is_of_help(heading: str) -> bool:
    """Whether a section with this heading may say whom to ask, beside other things."""
    return _OF_HELP.search(heading) is not None


def contacts_in(text: str, quote: str, *, listed: bool = False) -> Iterator[Contact]:
    """Channels, addresses, lists and teams that a sentence names as where to ask; ``quote`` is it with its markup.

    Beneath a heading of contacts (``listed``) no word needs to say so.
    """
    if _EXAMPLE.search(text) or "git config" in text:  # as whom a program commits
        return
    words = _CHANNEL.sub(" ", text)  # "#acme-ask" asks nobody
    if listed or _OF_CHAT.search(words):
        yield from (Contact(f"#{found['name']}", "Channel") for found in _CHANNEL.finditer(text))
        yield from (Contact(f"#{found['name']}", "Channel") for found in _TAG.finditer(quote))
    if listed or _TO_ASK.search(_LISTS.sub(" ", words)):
        yield from (
            Contact(found["name"], "Address")
            for found in _ADDRESS.finditer(text)
            if (listed or _TO_ASK.search(words_near(text, found.start()))) and not _HELD.match(text, found.end())
        )
        yield from (Contact(_list_name(found), "Address") for found in _LIST.finditer(quote))
    if listed:
        yield from (Contact(found["name"], "Team") for found in _TEAM.finditer(text))


def is_of_channels(heading: str) -> bool:
    """Whether a section with this heading may list the channels of a chat."""
    return _OF_CHANNELS.fullmatch(heading.strip()) is not None


def listed_channels(quote: str) -> Iterator[Contact]:
    """The channels with which an item of a list opens."""
    found = _LISTED.match(quote)
    if found is not None:
        for one in re.finditer(rf"{_TAG.pattern}|#(?P<plain>[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*)", found[0]):
            yield Contact(f"#{one['name'] or one['plain']}", "Channel")


def labelled_contacts(quote: str) -> Iterator[tuple[str, Contact]]:
    """Contacts with the name of what they are of: a link's label, or what an item of nothing else calls them by.

    An empty label is that of the item above: ``Contact: lamps@ships.org`` beneath it.
    """
    for found in _MAIL_LINK.finditer(quote):
        name = found["name"] or found["name_html"]
        if _ADDRESS.fullmatch(name) and not _EXAMPLE.search(name):
            yield (found["label"] or found["label_html"]).strip(" *_"), Contact(name, "Address")
    for found in _NAMED_TAG.finditer(quote):
        yield found["label"].removeprefix("the ").strip(), Contact(f"#{found['name']}", "Channel")
    beneath = _IS_CONTACT.fullmatch(quote)
    item = beneath or _LABEL.fullmatch(quote)
    if item is not None and not _EXAMPLE.search(quote):
        rest = _ANY_LINK.sub(r" \1 ", item["rest"])
        contacts = [
            Contact(f"#{found['name']}", "Channel") for found in (*_TAG.finditer(rest), *_CHANNEL.finditer(rest))
        ]
        contacts += [Contact(found["name"], "Address") for found in _ADDRESS.finditer(rest)]
        left = re.sub(r"\{[%{][^{}]*[%}]\}", " ", _ADDRESS.sub(" ", _CHANNEL.sub(" ", rest)))
        if contacts and (beneath or re.search(r"\w", _CONTACT_WORDS.sub(" ", left)) is None):
            label = "" if beneath else (item["linked"] or item["plain"]).strip(" *_")
            yield from ((label, contact) for contact in contacts)


def asked_about(masked: str) -> int | None:
    """The number of the name that a sentence, whose names are marks, says one can ask about; ``None`` for the page's."""
    found = _ABOUT.search(masked)
    return mark_numbers(found["o"])[0] if found is not None else None


def named_subject(text: str) -> str:
    """The name of what a sentence has one report faults of, entity or not; empty where it names nothing."""
    found = _OF_NAMED.search(text)
    return found["name"] if found is not None else ""


def asks_writers(text: str, *, headline: bool) -> bool:
    """Whether those are asked for whom a post speaks: not one of them, and where it has a ``headline`` of its own, only
    who is *us*."""
    return _ONE_WRITER.search(text) is None and (not headline or _WRITERS.search(text) is not None)


def front_contacts(text: str, matter: Mapping[str, Any]) -> Iterator[FrontContact]:
    """The channels and addresses that the front matter at the head of ``text`` names as who is asked about the page."""
    front = re.match(r"---\n.*?\n---\n", text, re.S)
    for key, value in matter.items() if front is not None else ():
        word = str(key).lower().replace("-", "_")
        if front is None or _FRONT_KEYS.fullmatch(word) is None:
            continue
        lines = re.compile(rf"^{re.escape(str(key))}:[^\n]*(?:\n(?:[ \t]+|-[ \t])[^\n]*)*", re.M)
        found = lines.search(text, 0, front.end())
        values = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]
        # One word is a channel beside what is clearly one, or where the key says so.
        words = word != "questions" or any(re.search(r"[-@#]", one) for one in values)
        for one in values:
            contact = _front_contact(one, bare=word in _BARE and (words or "-" in one))
            if contact is not None and found is not None:
                yield FrontContact(*contact, found.start(), found.end())


def words_near(text: str, place: int) -> str:
    """The words around an address, without those that only name a list."""
    return _LISTS.sub(" ", text[max(0, place - _NEAR) : place + _NEAR])


def _front_contact(value: str, *, bare: bool) -> Contact | None:
    said = value.strip()
    if re.fullmatch(r"#[a-z][\w-]{2,60}", said) or (bare and _BARE_NAME.fullmatch(said) and len(said) < 40):
        return Contact(f"#{said.lstrip('#')}", "Channel")
    return Contact(said, "Address") if _ADDRESS.fullmatch(said) else None


def _list_name(link: re.Match[str]) -> str:
    """What a mailing list is called: its address where that is known."""
    if link["group"]:
        return f"{link['group']}@{link['domain'] or 'googlegroups.com'}"
    return link["list"] if "@" in link["list"] else f"{link['list']}@{link['host']}"
