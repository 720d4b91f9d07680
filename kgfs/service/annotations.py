"""What people say of the graph: from how they call things to a mutation, and to what is shown then.

Used by the control socket's requests (``kgfs entity``, ``kgfs fact``) on any thread but
the FUSE loop's and the writer's. What is said is checked and done in ``kgfs.graph.annotating`` and
``facts_document``, in one transaction; here it passes the gate and is published. What has to be embedded again is the
cascade's.
"""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from kgfs import paths
from kgfs.config import Config
from kgfs.drives.gate import Gate, Mutation
from kgfs.errors import NotFoundError, UsageError
from kgfs.graph.name_keys import name_key
from kgfs.names import entity_directory
from kgfs.nearest import asked_whether
from kgfs.store.graph import annotations as people
from kgfs.store.graph import claims, entity_names, merge_candidates
from kgfs.store.graph.annotations import MERGE, OF_ENTITIES, Annotation
from kgfs.store.graph.entity_names import NamedRow
from kgfs.store.graph.merge_candidates import PairVerdict

if TYPE_CHECKING:
    from kgfs.store.catalog.database import Cursor

T = TypeVar("T")

NEAR = 5


def who() -> str:
    """The login name of whose process this is."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


class Annotations:
    """Annotates the graph of one store.

    Entities are given by slug, name, alias, former slug, path (``entities/<types>/<slug>``) or id. Each method that
    says something returns what is shown then; errors are sentences for the user, and then nothing happened.
    """

    def __init__(
        self, gate: Gate, config: Config, publish: Callable[[], None], path_of_fact: Callable[[str], str | None]
    ) -> None:
        """``publish`` shows what was committed; ``path_of_fact`` is where a fact stands in the tree."""
        self._gate, self._database, self._config = gate, gate.database, config
        self._publish, self._path_of_fact = publish, path_of_fact

    # --- entities ----------------------------------------------------------------------------------------------------

    def find_entity(self, text: str) -> NamedRow:
        """The entity that somebody means. ``NotFoundError``; ``UsageError`` where several may be meant."""
        wanted = paths.parse_entity(text) or text.strip()
        with self._database.read() as cursor:
            found = entity_names.entities_named(cursor, wanted, name_key(wanted)) if wanted else []
            if len(found) == 1:
                return found[0]
            if found:
                slugs = [one.slug for one in found]
                more = f" and {len(slugs) - NEAR} more" if len(slugs) > NEAR else ""
                raise UsageError(f"{text} may be {', '.join(slugs[:NEAR])}{more}; name one of them.")
            near = entity_names.entities_near(cursor, wanted, NEAR) if wanted else []
        raise NotFoundError(f"There is no entity {text!r}; {asked_whether(near, '`kgfs search` finds entities.')}")

    def show(self, text: str) -> dict[str, Any]:
        """An entity as it is shown."""
        return self._described(self.find_entity(text).id)

    def make(self, name: str, kind: str, description: str) -> dict[str, Any]:
        """A new entity."""
        from kgfs.graph import annotating

        number = self._commit(
            "make_entity", (name,), lambda cursor: annotating.make_entity(cursor, name, kind, description, who())
        )
        return self._described(number)

    def rename(self, text: str, name: str) -> dict[str, Any]:
        """Another name; the old path stays as a link."""
        from kgfs.graph import annotating

        return self._change(
            "rename", text, lambda cursor, number: annotating.rename_entity(cursor, number, name, who())
        )

    def retype(self, text: str, kind: str) -> dict[str, Any]:
        """Another type; the old path stays as a link."""
        from kgfs.graph import annotating

        return self._change(
            "retype", text, lambda cursor, number: annotating.retype_entity(cursor, number, kind, who())
        )

    def describe(self, text: str, description: str) -> dict[str, Any]:
        """Another description."""
        from kgfs.graph import annotating

        return self._change(
            "describe", text, lambda cursor, number: annotating.describe_entity(cursor, number, description, who())
        )

    def merge(self, gone: str, kept: str) -> dict[str, Any]:
        """One entity goes into another; the old path leads there."""
        from kgfs.graph import annotating

        goes, stays = self.find_entity(gone), self.find_entity(kept)
        refs = (f"entity:{goes.id}", f"entity:{stays.id}")
        self._commit("merge", refs, lambda cursor: annotating.merge_entities(cursor, goes.id, stays.id, who()))
        return {**self._described(stays.id), "merged": goes.slug}

    def unmerge(self, text: str) -> dict[str, Any]:
        """Take a merge back: ``text`` is what went, or what took in one other entity. Returns the restored one."""
        try:
            said = self._merge_of(text)
        except NotFoundError:
            judged = self._judged(text)
            if not judged:
                raise
            return self._keep_apart(judged)
        return self._take_back("unmerge", said)

    def undo(self, text: str, number: int | None) -> dict[str, Any]:
        """Take back what was said last of an entity, or what has this number in its history."""
        entity = self.find_entity(text)
        standing = [one for one in self._said(entity.id) if one.undone_at is None and one.kind in OF_ENTITIES]
        if number is not None:
            standing = [one for one in standing if one.id == number]
        if not standing:
            what = "No correction" if number is None else f"No correction {number}"
            raise NotFoundError(f"{what} of {entity.slug} can be undone; see `kgfs entity history {entity.slug}`.")
        return self._take_back("undo", standing[-1])

    def history(self, text: str) -> list[dict[str, Any]]:
        """All that people and documents did to an entity, oldest first."""
        entity = self.find_entity(text)
        lines = [_line(one) for one in self._said(entity.id)]
        rows = self._database.fetch(
            "SELECT gone_name, reason, merged_at FROM merges WHERE kept_id = ? AND reason <> 'A person said so.'"
            " ORDER BY id",
            [entity.id],
        )
        lines += [
            {
                "number": None,
                "what": "join",
                "value": name,
                "before": "",
                "by": "documents",
                "at": _time(at),
                "why": why,
            }
            for name, why, at in rows
        ]
        return sorted(lines, key=lambda line: str(line["at"]))

    # --- facts -------------------------------------------------------------------------------------------------------

    def state(
        self, subject: str, kind: str, target: str, *, text: bool, date: str | None, description: str,
        chunk: str | None, quote: str,
    ) -> dict[str, Any]:  # fmt: skip
        """A new fact; ``text``: its object is a text, no entity. Its words are ``quote`` in ``chunk``, else its own."""
        from kgfs.graph import annotating, facts_document

        of, to = self.find_entity(subject), None if text else self._object(target)
        chunk_id = None if chunk is None else self._chunk(chunk)
        statement = facts_document.FactStatement(
            type=kind, object_text=target if text else None, date=date, description=description, chunk_id=chunk_id,
            quote=quote,
        )  # fmt: skip

        def work(cursor: Cursor) -> str:
            one = annotating.annotated_entity(cursor, of.id)
            other = None if to is None else annotating.annotated_entity(cursor, to.id)
            return facts_document.state_fact(cursor, one, other, statement, who(), self._config)

        refs = (f"entity:{of.id}", *([] if to is None else [f"entity:{to.id}"]))
        return self._fact(self._commit("state", refs, work))

    def retract(self, text: str) -> dict[str, Any]:
        """Hide a fact for good."""
        from kgfs.graph import facts_document

        fact_id = _fact_id(text)
        said = self._commit(
            "retract",
            (fact_id,),
            lambda cursor: facts_document.retract_fact(cursor, fact_id, who(), self._config),
        )
        return {"fact_id": fact_id, "description": said}

    def restore(self, text: str) -> dict[str, Any]:
        """Take a retraction back; ``path`` is missing where no document states the fact now."""
        from kgfs.graph import facts_document

        fact_id = _fact_id(text)
        shown = self._commit(
            "restore",
            (fact_id,),
            lambda cursor: facts_document.restore_fact(cursor, fact_id, who(), self._config),
        )
        return self._fact(fact_id) if shown else {"fact_id": fact_id}

    def retracted(self) -> list[dict[str, Any]]:
        """The facts that are retracted, oldest first."""
        rows = self._database.fetch(
            "SELECT fact_id, value, said_by, said_at, ref FROM annotations WHERE kind = ? AND undone_at IS NULL"
            " ORDER BY id",
            [people.RETRACT],
        )
        return [
            {"fact_id": fact_id, "description": said, "by": by, "at": _time(at), "origin": ref}
            for fact_id, said, by, at, ref in rows
        ]

    # --- what they share ---------------------------------------------------------------------------------------------

    def _commit(self, operation: str, refs: tuple[str, ...], work: Callable[[Cursor], T]) -> T:
        answer = self._gate.commit(Mutation(operation=operation, refs=refs), work)
        self._publish()
        return answer

    def _change(self, operation: str, text: str, work: Callable[[Cursor, int], object]) -> dict[str, Any]:
        entity = self.find_entity(text)
        self._commit(operation, (f"entity:{entity.id}",), lambda cursor: work(cursor, entity.id))
        return {**self._described(entity.id), "before": entity.slug}

    def _take_back(self, operation: str, said: Annotation) -> dict[str, Any]:
        from kgfs.graph import annotating

        self._commit(
            operation, (f"annotation:{said.id}",), lambda cursor: annotating.take_annotation_back(cursor, said, who())
        )
        with self._database.read() as cursor:
            held = claims.entities_of_keys(cursor, said.keys)
        number = next((held[key] for key in said.keys if key in held), None)
        undone = {"undone": _line(said)}
        return undone if number is None else {**self._described(number), **undone}

    def _said(self, entity_id: int) -> list[Annotation]:
        with self._database.read() as cursor:
            rows = cursor.execute("SELECT key FROM entity_keys WHERE entity_id = ?", [entity_id]).fetchall()
            return people.all_of_keys(cursor, [row[0] for row in rows])

    def _merge_of(self, text: str) -> Annotation:
        wanted = paths.parse_entity(text) or text.strip()
        key = name_key(wanted)
        with self._database.read() as cursor:
            standing = people.standing_merges(cursor)
        gone = [one for one in standing if wanted in (one.slug, one.value, one.name) or key in one.keys]
        if len(gone) == 1:
            return gone[0]
        entity = self.find_entity(text)
        held = {one.id for one in self._said(entity.id)}
        inside = [one for one in gone or standing if one.id in held]
        if len(inside) == 1:
            return inside[0]
        if not inside:
            raise NotFoundError(
                f"Nobody merged {entity.slug}; `kgfs entity history {entity.slug}` lists what was said."
            )
        names = ", ".join(one.slug or one.value for one in inside[:NEAR])
        raise UsageError(f"{entity.slug} took in more than one; name the one to split off: {names}.")

    def _judged(self, text: str) -> list[PairVerdict]:
        """The verdicts of a judge by which a name, or the names of an entity, are one with others."""
        key = name_key((paths.parse_entity(text) or text.strip()).replace("_", " "))
        with self._database.read() as cursor:
            found = [one for one in merge_candidates.of_keys(cursor, [key]) if one.same]
            if not found:
                held = claims.keys_of_entities(cursor, [self.find_entity(text).id])
                found = [one for one in merge_candidates.of_keys(cursor, held) if one.same]
        return found

    def _keep_apart(self, judged: Sequence[PairVerdict]) -> dict[str, Any]:
        """Say that a judge was wrong; returns what has the first of the names then."""
        from kgfs.pipeline import judge_pass

        verdicts = [one._replace(same=False, confidence=1.0, said_by=people.PERSON) for one in judged]
        keys = {key for one in verdicts for key in (one.one, one.other)}
        refs = tuple(f"name:{key}" for key in sorted(keys))
        self._commit("unmerge", refs, lambda cursor: judge_pass.settle_verdicts(cursor, verdicts, keys))
        with self._database.read() as cursor:
            numbers = sorted(set(claims.entities_of_keys(cursor, keys).values()))
        return {**self._described(numbers[0]), "apart": [self._described(number)["slug"] for number in numbers]}

    def _object(self, text: str) -> NamedRow:
        try:
            return self.find_entity(text)
        except NotFoundError as error:
            raise NotFoundError(
                f"{error.message} `kgfs entity add` makes one, and with --text it is a value."
            ) from None

    def _chunk(self, text: str) -> int:
        """The row of a chunk by its id or path."""
        chunk = paths.parse_chunk(text)
        if chunk is not None:
            rows = self._database.fetch(
                "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document_id WHERE d.slug = ? AND c.ordinal = ?",
                [chunk.document, int(chunk.ordinal)],
            )
            if rows:
                return int(rows[0][0])
        raise NotFoundError(
            f"There is no chunk {text}; say its id (<document>_chunk_0001) or its path under chunks/by_document."
        )

    def _described(self, entity_id: int) -> dict[str, Any]:
        with self._database.read() as cursor:
            rows = entity_names.by_id(cursor, [entity_id])
        if not rows:
            raise NotFoundError("The entity has just changed; look at it again.")
        (found,) = rows
        return {
            "id": f"entity:{found.id}", "name": found.name, "slug": found.slug, "type": found.type,
            "path": f"entities/{entity_directory(found.type)}/{found.slug}", "description": found.description or "",
        }  # fmt: skip

    def _fact(self, fact_id: str) -> dict[str, Any]:
        rows = self._database.fetch(
            "SELECT f.type, s.name, coalesce(o.name, f.object_text), f.description, f.date, f.quote, i.ref FROM facts f"
            " JOIN entities s ON s.id = f.subject_id LEFT JOIN entities o ON o.id = f.object_id"
            " JOIN context_items i ON i.id = f.document_id WHERE f.fact_id = ?",
            [fact_id],
        )
        ((kind, subject, target, description, date, quote, ref),) = rows
        return {
            "fact_id": fact_id, "type": kind, "subject": subject, "object": target, "description": description,
            "date": date, "quote": quote, "origin": ref, "path": self._path_of_fact(fact_id),
        }  # fmt: skip


def _fact_id(text: str) -> str:
    fact_id = paths.parse_fact(text.strip())
    if fact_id is None:
        raise UsageError(f"{text} is no id of a fact; say f_ and 16 digits, the name of its file under facts/.")
    return fact_id


_BEFORE = {people.RENAME: "name", people.RETYPE: "type"}


def _line(said: Annotation) -> dict[str, Any]:
    """An annotation as the history shows it."""
    value = said.value or said.name
    if said.kind == MERGE:
        value = f"{value} into {said.target_name}"
    line: dict[str, Any] = {
        "number": said.id, "what": said.kind, "value": value,
        "before": getattr(said, _BEFORE[said.kind]) if said.kind in _BEFORE else "", "by": said.said_by,
        "at": _time(said.said_at),
    }  # fmt: skip
    if said.fact_id is not None:
        line["fact_id"] = said.fact_id
    if said.undone_at is not None:
        line |= {"undone_by": said.undone_by, "undone_at": _time(said.undone_at)}
    return line


def _time(at: Any) -> str:
    return "" if at is None else at.isoformat(timespec="seconds") + "Z"
