"""Skills as files: a directory with a ``SKILL.md``, whose front matter has the name and what the skill is for.

``read_skill`` is pure. ``stored_skills`` has those that a store holds in ``context/agent/skills``, for ``kgfs trust``
and for a run of the agent; whether one is used is the user's to say (``kgfs.trust``). The form is that of the public
specification of agent skills (agentskills.io): ``name`` is the directory's, in lower case, and ``description`` says
when to use it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

from kgfs.names import one_line
from kgfs.store.catalog.database import Cursor
from kgfs.store.files import items
from kgfs.tools.prompts.front_matter import read_front_matter
from kgfs.tools.prompts.loading_marks import read_mark

FILE = "SKILL.md"
DIRECTORY = "/skills"
"""Where a store's skills are, on the drive of notes."""
MOST_BYTES = 64 * 1024
"""Of a ``SKILL.md``: it is read whole by a model."""
MOST_TOGETHER = 1024 * 1024
"""Bytes of all files of one skill in a store."""
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME, _LONGEST_DESCRIPTION = 64, 1024


class SkillText(NamedTuple):
    """What a ``SKILL.md`` says."""

    name: str
    description: str
    """One line."""
    body: str
    always: bool
    """Whether the body belongs to every prompt."""


class BrokenSkill(ValueError):
    """A ``SKILL.md`` that is none; the message is half a sentence."""


class StoredSkill(NamedTuple):
    """A directory among the skills of a store."""

    name: str
    text: str
    """Of its ``SKILL.md``; empty where ``problem`` says why not."""
    digest: str
    """Of all its files: what is trusted."""
    problem: str = ""


def read_skill(directory: str, data: bytes) -> SkillText:
    """The skill of a directory, from the bytes of its ``SKILL.md``. ``BrokenSkill`` says what is wrong."""
    if len(data) > MOST_BYTES:
        raise BrokenSkill(f"its {FILE} has more than {MOST_BYTES // 1024} KiB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise BrokenSkill(f"its {FILE} is no UTF-8 text") from None
    matter = read_front_matter(text)
    if matter is None or matter.fields is None:
        raise BrokenSkill(f"its {FILE} has no front matter that can be read, with name and description")
    name, description = (matter.fields.get(field) for field in ("name", "description"))
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        raise BrokenSkill("its name is not of lower-case letters, digits and hyphens")
    if name != directory:
        raise BrokenSkill(f"it calls itself {name!r}, and its directory has another name")
    if not isinstance(description, str) or not description.strip():
        raise BrokenSkill("it has no description")
    mark = read_mark(text)
    if mark.problem:
        raise BrokenSkill(mark.problem)
    said = one_line(" ".join(description.split()))
    if len(said) > _LONGEST_DESCRIPTION:
        raise BrokenSkill(f"its description has more than {_LONGEST_DESCRIPTION:,} characters")
    return SkillText(name, said, text[matter.body :].strip("\r\n"), mark.mark == "always")


def stored_skills(cursor: Cursor) -> list[StoredSkill]:
    """The skills that a store holds, by name; links and hidden directories are none."""
    found: dict[str, list[items.Item]] = {}
    for item in items.items_beneath(cursor, "agent", DIRECTORY):
        name, _, rest = item.path.removeprefix(f"{DIRECTORY}/").partition("/")
        if name and rest and not name.startswith("."):
            found.setdefault(name, []).append(item)
    return [_stored(cursor, name, files) for name, files in sorted(found.items())]


def _stored(cursor: Cursor, name: str, files: Sequence[items.Item]) -> StoredSkill:
    main = next((item for item in files if item.path == f"{DIRECTORY}/{name}/{FILE}"), None)
    if main is None:
        return StoredSkill(name, "", "", f"it has no {FILE}")
    if sum(item.size for item in files) > MOST_TOGETHER:
        return StoredSkill(name, "", "", f"its files have more than {MOST_TOGETHER // 1024:,} KiB together")
    digest, text = hashlib.blake2b(digest_size=16), b""
    for item in files:
        body = items.read_item(cursor, item.id) or b""
        # Lengths first, so that no other files give the same digest.
        for part in (item.path.encode(), item.mime_type.encode(), body):
            digest.update(len(part).to_bytes(8, "big") + part)
        text = body if item is main else text
    try:
        read_skill(name, text)
    except BrokenSkill as error:
        return StoredSkill(name, "", "", str(error))
    return StoredSkill(name, text.decode("utf-8"), digest.hexdigest())
