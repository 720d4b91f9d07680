"""Skills: how to do something well, as directories with a ``SKILL.md``. Those of the package, the user and the store.

Used when a run of the agent begins (``kgfs.agent.prompt``); the last one of a name wins. A model sees names and
descriptions and reads a skill when it needs it, at the path that stands beside it; the directories of the package and
the user are bound into the sandbox, read-only (``Skills.directories``). A store's skill is an instruction by the
person who made the store, so it counts only where the user trusts these very files (``kgfs trust skills``). Other
skills are not shown to the model at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from kgfs import trust
from kgfs.errors import RefusedError
from kgfs.names import one_line
from kgfs.paths import PREFIX
from kgfs.tools.prompts.skill_files import DIRECTORY, FILE, MOST_BYTES, BrokenSkill, SkillText, StoredSkill, read_skill

_SHIPPED = Path(__file__).parent / "shipped_skills"
_MOST = 200
"""Directories that are looked at in one place."""

Giver = Literal["package", "user", "store"]


class Skill(NamedTuple):
    """A skill that a run may use."""

    said: SkillText
    giver: Giver
    place: str
    """The path of its ``SKILL.md``, as the sandbox sees it."""


class Skills(NamedTuple):
    """What a run has of skills."""

    skills: tuple[Skill, ...]
    """By name."""
    directories: tuple[Path, ...]
    """Directories of this machine that a model may read, under their real path."""
    problems: tuple[str, ...]
    """A sentence for each that is left out, for the user."""

    def prompt(self) -> str:
        """What a model reads of them; empty where there are none."""
        if not self.skills:
            return ""
        lines = [f"- {skill.said.name}: {skill.said.description} ({skill.place})" for skill in self.skills]
        whole = [f"### {skill.said.name}\n{skill.said.body}" for skill in self.skills if skill.said.always]
        heading = "## Skills\nHow to do something well. When one fits the task, read its file first."
        return "\n".join([heading, *lines, *whole]) + "\n"


def user_skills() -> Path:
    """Where the user's own skills are; it need not exist."""
    return trust.user_directory() / "skills"


def load_skills(stored: Iterable[StoredSkill], trusted: Mapping[str, Any]) -> Skills:
    """The skills of the package, of the user, and of the ``stored`` ones those that the user has ``trusted`` (what
    ``trust.trusted`` has of the store)."""
    problems: list[str] = []
    chosen: dict[str, Skill] = {}
    places: list[Path] = []
    directories: tuple[tuple[Giver, Path], ...] = (("package", _SHIPPED), ("user", user_skills()))
    for giver, directory in directories:
        found = list(_skills_in(directory, giver, problems))
        if found:
            places.append(directory.resolve())
        chosen.update((skill.said.name, skill) for skill in found)
    chosen.update((skill.said.name, skill) for skill in _trusted(stored, trusted, problems))
    return Skills(tuple(chosen[name] for name in sorted(chosen)), tuple(places), tuple(problems))


def _skills_in(directory: Path, giver: Giver, problems: list[str]) -> Iterator[Skill]:
    """The skills of a directory of this machine; what is broken becomes a problem."""
    try:
        entries = sorted(entry for entry in directory.iterdir() if not entry.name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        problems.append(f"The skills in {directory} cannot be read: {error.strerror}.")
        return
    if len(entries) > _MOST:
        problems.append(f"{directory} has {len(entries):,} entries; the first {_MOST} were looked at.")
    for entry in entries[:_MOST]:
        if not entry.is_dir():
            continue
        try:
            said = read_skill(entry.name, _content(entry / FILE, giver))
        except BrokenSkill as error:
            problems.append(one_line(f"The skill {entry} is left out: {error}."))
        else:
            yield Skill(said, giver, str(entry.resolve() / FILE))


def _content(file: Path, giver: Giver) -> bytes:
    if not file.is_file():
        raise BrokenSkill(f"it has no {FILE}")
    try:
        if file.stat().st_size > MOST_BYTES:
            raise BrokenSkill(f"its {FILE} has more than {MOST_BYTES // 1024} KiB")
        # What speaks for the user must be the user's alone; the package is as trustworthy as the program itself.
        return file.read_bytes() if giver == "package" else trust.read_own(file) or b""
    except RefusedError as error:
        raise BrokenSkill(error.message.rstrip(".")) from error
    except OSError as error:
        raise BrokenSkill(f"its {FILE} cannot be read: {error.strerror}") from error


def _trusted(stored: Iterable[StoredSkill], trusted: Mapping[str, Any], problems: list[str]) -> Iterator[Skill]:
    known = trusted.get(trust.SKILLS, {})
    for skill in stored:
        if skill.problem:
            problems.append(one_line(f"The store's skill {skill.name} is left out: {skill.problem}."))
        elif known.get(skill.name) != skill.digest:
            changed = "it has changed since you trusted it" if skill.name in known else "anybody may have written it"
            problems.append(
                f"The store's skill {skill.name} is left out, since {changed}: read it in"
                f" context/agent{DIRECTORY}/{skill.name}, then `kgfs trust {trust.SKILLS}`."
            )
        else:
            said = read_skill(skill.name, skill.text.encode())
            yield Skill(said, "store", f"{PREFIX}/context/agent{DIRECTORY}/{skill.name}/{FILE}")
