"""Names in the tree: slugs, the directory of an entity type or of a role (design, section 2.1).

Pure functions and tables; used by ``graph`` and ``store`` (which give out slugs) and ``namespace`` (which shows them).
A slug is made once, stored, and then fixed: nothing here is called to find the name of something that already has one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

MAX_SLUG_BYTES = 200
"""Room for a clash suffix and an extension beneath NAME_MAX (255 bytes)."""

# White space, control and format characters, and what hurts in a shell, on other systems, or as a query component.
_UNSAFE = re.compile(
    r"""[\s\x00-\x1f\x7f-\x9f<>:"|?*\\/'`$!&;(){}\[\]#%^=,~\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U0010ff80-\U0010ffff]+"""
)
_RUNS = re.compile(r"_{2,}")
_DEBRIS = re.compile(r"4913|#.*#|.*(?:~|~\.\d+|\.swp|\.tmp|\.part)", re.DOTALL)
"""What editors and copying tools leave for a moment (design, section 2.4); 4913 is vim's, ``~.1`` nano's."""


AS_STORED = {0xDC00 + byte: 0x10FF00 + byte for byte in range(0x80, 0x100)}
"""For ``str.translate``: bytes of a name that are no UTF-8, as Python holds them (surrogates), to what stands for them
where only UTF-8 may stand (rows, JSON): the last characters for private use."""
AS_NAMED = {stored: byte for byte, stored in AS_STORED.items()}
"""The way back."""


def name_bytes(name: str) -> bytes:
    """A name, a path or a link's target of the tree as the kernel has it. They are any bytes; as text they are held as
    ``os.fsdecode`` makes it."""
    return name.encode("utf-8", "surrogateescape")


def name_text(name: bytes) -> str:
    """The inverse of ``name_bytes``."""
    return name.decode("utf-8", "surrogateescape")


def is_utf8(text: str) -> bool:
    """Whether a text holds no byte that is no UTF-8."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def as_utf8(value: Any) -> Any:
    """A text, or a JSON value with all its texts, as UTF-8 can hold it; reversible for what ``name_text`` made."""
    return changed_texts(value, lambda text: text.translate(AS_STORED).encode("utf-8", "replace").decode())


def json_bytes(value: Any) -> bytes:
    """A value as JSON, whatever bytes its texts hold."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(as_utf8(value))


def changed_texts(value: Any, change: Callable[[str], Any]) -> Any:
    """A JSON value in which ``change`` was made to each text that UTF-8 cannot hold."""
    if isinstance(value, str):
        return value if is_utf8(value) else change(value)
    if isinstance(value, dict):
        return {as_utf8(key): changed_texts(each, change) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [changed_texts(each, change) for each in value]
    return value


def cut_bytes(text: str, limit: int) -> str:
    """``text`` cut to at most ``limit`` bytes of UTF-8, on a character."""
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= limit:
        return text
    return encoded[:limit].decode("utf-8", "ignore")


def slug(text: str, fallback: str = "unnamed") -> str:
    """The name of ``text`` in the tree: ``Alphabet Inc.`` becomes ``Alphabet_Inc``.

    NFC; unsafe runs become ``_``; no trailing dots or ``_``; no leading ``-``, ``.``, ``@``, ``_``; at most 200 bytes,
    cut on a character. What leaves nothing becomes ``fallback``.
    """
    text = unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode("utf-8"))
    text = _RUNS.sub("_", _UNSAFE.sub("_", text))
    text = cut_bytes(text.lstrip("-.@_").rstrip("._"), MAX_SLUG_BYTES).rstrip("._")
    return text or fallback


def slug_key(name: str) -> str:
    """What makes two slugs equal: names that differ only in case (or in composition) are one name."""
    return unicodedata.normalize("NFC", name.casefold())


def unique_slug(wanted: str, taken: Callable[[str], bool], alternatives: Iterable[str] = ()) -> str:
    """The first free name of ``wanted``, the ``alternatives`` in turn, then ``wanted~2``, ``wanted~3`` …

    ``taken`` is asked with a ``slug_key``.
    """
    for name in (wanted, *alternatives):
        if not taken(slug_key(name)):
            return name
    number = 2
    while True:
        suffix = f"~{number}"
        name = cut_bytes(wanted, MAX_SLUG_BYTES - len(suffix)) + suffix
        if not taken(slug_key(name)):
            return name
        number += 1


def is_knowledge(path: str) -> bool:
    """Whether the file at a path of a drive is to be indexed and versioned: no component begins with a dot, and it is
    no debris of an editor or of a copy under way (design, section 2.4)."""
    components = path.split("/")
    return not any(component.startswith(".") for component in components) and not is_debris(components[-1])


def is_debris(name: str) -> bool:
    """Whether a file of this name is what an editor or a copy under way leaves: ``notes.md~``, ``x.part``."""
    return _DEBRIS.fullmatch(name) is not None


def without_accents(text: str) -> str:
    """A text with its letters as they are without accents: *Zoe* for *Zoë*."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def one_line(text: str) -> str:
    """``text`` with control characters (line ends and terminal escapes too) as spaces: one record is one line."""
    if text.isprintable():
        return text
    return "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in text)


def tsv_field(text: str) -> str:
    """``text`` as a field of a TSV file: tab, newline, carriage return and backslash escaped, other controls spaces."""
    text = text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    return one_line(text)


# --- entity types --------------------------------------------------------------------------------------------------

ENTITY_DIRECTORIES: dict[str, str] = {
    "Organization": "organizations",
    "Person": "people",
    "Location": "locations",
    "Concept": "concepts",
    "Event": "events",
    "Product": "products",
    "Work": "works",
    "Facility": "facilities",
    "Group": "groups",
    "Law": "laws",
    "Currency": "currencies",
    "Technology": "technologies",
    "Industry": "industries",
    "Country": "countries",
    "City": "cities",
}
"""Entity type to directory under ``entities/``. A type that is not here is lower-case plural."""

ALWAYS_SHOWN = ("Organization", "Person", "Location", "Concept")
"""Types whose directories exist in an empty graph too."""

# Names under entities/ that are not a type's directory.
RESERVED_DIRECTORIES = frozenset({"by_name", "by_prefix", "_index.tsv", "_counts.tsv"})


def entity_directory(entity_type: str) -> str:
    """The directory of an entity type under ``entities/``: ``Organization`` is ``organizations``."""
    known = ENTITY_DIRECTORIES.get(entity_type)
    if known is not None:
        return known
    name = slug(entity_type, "others").lower()
    if name.endswith("y") and name[-2:-1] not in tuple("aeiou"):
        name = name[:-1] + "ies"
    elif name.endswith(("s", "x", "z", "ch", "sh")):
        name += "es"
    else:
        name += "s"
    return f"{name}_type" if name in RESERVED_DIRECTORIES else name


# --- fact types ----------------------------------------------------------------------------------------------------

_NO_ROLES = frozenset(
    {"SUBSIDIARY_OF", "SPOUSE_OF", "CITIZEN_OF", "CHILD_OF", "SIBLING_OF", "RELATIVE_OF", "PART_OF", "ALIAS_OF"}
)

ROLES: dict[str, str] = {"CHIEF_EXECUTIVE_OF": "CEO_of", "FOUNDED": "Founder_of"}
"""Fact types that are roles, and their directory under ``roles/`` of a person."""


def role_directory(fact_type: str) -> str | None:
    """The directory under a person's ``roles/`` for a fact type, or ``None`` where the type is no role.

    ``CHIEF_EXECUTIVE_OF`` is ``CEO_of``; any other type ``…_OF`` keeps its name, as ``CHAIR_OF`` is ``CHAIR_of``.
    """
    known = ROLES.get(fact_type)
    if known is not None:
        return known
    return f"{fact_type[:-3]}_of" if fact_type.endswith("_OF") and fact_type not in _NO_ROLES else None


def fact_type(text: str) -> str:
    """A fact type in its canonical form, upper case with ``_``: ``partnered with`` is ``PARTNERED_WITH``.

    Letters of every script stay. It is the name of a directory, so it has at most ``MAX_SLUG_BYTES``.
    """
    name = re.sub(r"[\W_]+", "_", unicodedata.normalize("NFC", text.upper())).strip("_")
    return cut_bytes(name, MAX_SLUG_BYTES).rstrip("_") or "RELATED_TO"


def prefixed(prefix: str, path: str) -> str:
    """A path of the tree as results show it: behind the mountpoint, or from the root where ``prefix`` is empty, since
    nothing is mounted: so the commands take it."""
    return f"{prefix.rstrip('/')}/{path}" if prefix else path
