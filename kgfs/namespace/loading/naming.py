"""Names in a snapshot: slugs, types, aliases, former names, and how long paths are.

Used by ``loader``.
"""

from __future__ import annotations

import numpy as np

from kgfs import names
from kgfs.namespace.domains import Slugged, pages_of, usable
from kgfs.namespace.loading.aliases import load_aliases
from kgfs.namespace.loading.edits import Edited, grouped, joined, regrouped
from kgfs.namespace.loading.rows import Rows
from kgfs.namespace.relations import Ints, flat
from kgfs.namespace.snapshot import Snapshot
from kgfs.store.catalog.database import Cursor
from kgfs.store.tree.columns import read_whole


def renamed(found: Edited, former: Slugged | None) -> tuple[list[str], dict[str, int] | None]:
    """The slugs of rows, and the place of each; ``None`` where these are to be made anew."""
    column, edit = found.columns["slug"], found.edit
    if former is None or not edit.grew:
        return column.tolist(), None
    if edit.empty:
        return former.slugs, former.by_slug
    slugs, by_slug = former.slugs.copy(), former.by_slug
    changed = [place for place in edit.changed.tolist() if slugs[place] != column[place]]
    came = edit.came.tolist()
    if not changed and not came:
        return former.slugs, former.by_slug
    by_slug = by_slug.copy()
    for place in changed:
        if by_slug.get(slugs[place]) == place:
            del by_slug[slugs[place]]
    for place in changed:
        slugs[place] = column[place]
        by_slug[slugs[place]] = place
    for place in came:
        slugs.append(column[place])
        by_slug[column[place]] = place
    return slugs, by_slug


def load_entities(s: Snapshot, cursor: Cursor, rows: Rows, former: Snapshot | None) -> None:
    """Entities with their types and aliases."""
    found = rows.domain("entities")
    columns = found.columns
    slugs, by_slug = renamed(found, None if former is None else former.entities)
    s.entities = Slugged("entity", found.ids, columns["ctime"], slugs, by_slug)
    s.entities.pages = pages_of("entities", columns)
    _load_types(s, found, former)
    if former is not None and found.edit.grew and s.entity_directory_array is former.entity_directory_array:
        s.entities.take_order(former.entities)
    else:
        s.entities.walk_in(joined(s.by_type))
    s.load_state.aliases = load_aliases(rows, cursor, s.entities, found, None if former is None else former.entities)
    s.aliases, s.alias_names = s.load_state.aliases.owners, s.load_state.aliases.names


def _load_types(s: Snapshot, found: Edited, former: Snapshot | None) -> None:
    stored, types = found.columns["kind"], s.load_state.types
    present = np.nonzero(np.bincount(stored, minlength=len(types)))[0].tolist() if len(stored) else []
    others = sorted({types.name(number) for number in present} - {*names.ALWAYS_SHOWN})
    s.entity_types = [*names.ALWAYS_SHOWN, *others]
    codes, numbers = np.zeros(len(types) + 1, np.int32), np.zeros(len(types) + 1, np.int32)
    directories: set[int] = set()
    for code, kind in enumerate(s.entity_types):
        number = s.names.number(names.entity_directory(kind))
        directories.add(number)
        codes[types.number(kind) : types.number(kind) + 1] = code
        numbers[types.number(kind) : types.number(kind) + 1] = number
    s.entity_type = flat(codes[stored])
    s.type_directories = sorted(directories)
    kinds = numbers[stored]
    if former is not None and np.array_equal(kinds, former.entity_directory_array):
        kinds = former.entity_directory_array
    s.entity_directory_array, s.entity_directory = kinds, flat(kinds)
    s.people = s.names.number(names.entity_directory("Person"))
    s.places = s.names.number(names.entity_directory("Location"))
    if former is None:
        by_type = grouped(kinds)
    else:
        by_type = regrouped(former.by_type, former.entity_directory_array, kinds, found.edit)
    s.by_type = {number: by_type.get(number, np.empty(0, np.int32)) for number in s.type_directories}


def load_former_names(s: Snapshot, cursor: Cursor) -> None:
    """Names that rows had; after the dates."""
    table = read_whole(cursor, "former_names")
    s.aliases, s.alias_names = s.aliases.copy(), s.alias_names.copy()
    domains = {"entity": s.entities, "document": s.documents, "topic": s.topics}
    columns = (table[name].tolist() for name in ("kind", "directory", "slug", "target_id"))
    for kind, directory, slug, target in zip(*columns, strict=True):
        domain = domains.get(kind)
        index = domain.find_index(target) if domain is not None else -1
        if domain is None or index < 0 or not usable(slug):
            continue
        if kind != "entity":
            if slug not in domain.by_slug:
                domain.former.setdefault("", {})[slug] = index
            continue
        number = s.names.number(directory)
        holder = domain.by_slug.get(slug, -1)
        if holder < 0 or s.entity_directory[holder] != number:
            domain.former.setdefault(directory, {})[slug] = index
            if number not in s.by_type:
                s.by_type[number] = np.empty(0, np.int32)
                s.type_newest[number] = s.published
                s.type_directories = sorted(s.by_type)
        if holder < 0 and slug not in s.aliases:
            s.aliases[slug] = index
            s.alias_names[index] = [*s.alias_names.get(index, ()), slug]


def load_path_sizes(s: Snapshot) -> None:
    """Bytes of the canonical path of each row."""
    kinds = [len(s.names.name(number).encode()) for number in range(len(s.names))]
    of_names = np.array([*kinds, 0], np.int32)
    rows = s.load_state.rows
    entity = rows["entities"].columns["slug_bytes"] + np.int32(len("entities//"))
    entity = entity + of_names[s.entity_directory_array]
    document = rows["documents"].columns["slug_bytes"]
    chunk = document[s.chunk_document_array] + np.asarray(s.document_width)[s.chunk_document_array]
    columns: dict[str, Ints] = {
        "entity": entity,
        "document": document + len("documents/"),
        "chunk": chunk + len("chunks/by_document//chunk_"),
        "topic": byte_lengths([s.topic_path(index) for index in range(len(s.topics))]),
        "fact": of_names[s.fact_type_array] + len("facts/by_type//f_0123456789abcdef.json"),
        "subject": entity[s.fact_subject_array],
        "object": np.append(entity, 0)[s.fact_object_array],
    }
    s.path_sizes = {kind: flat(column.astype(np.int32, copy=False)) for kind, column in columns.items()}


def byte_lengths(texts: list[str]) -> Ints:
    """How long each text is in UTF-8."""
    plain = "".join(texts).isascii()
    lengths = map(len, texts) if plain else (len(text.encode()) for text in texts)
    return np.fromiter(lengths, np.int32, len(texts))
