"""Targets that are pure: names, the grammar of PATH, line patches, front matter."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

from kgfs import names, paths
from kgfs.documents.markdown import front_matter
from kgfs.errors import NotFoundError, UsageError
from kgfs.sources.web.drives import detect_drive
from kgfs.tools.parameters import Patch
from kgfs.tools.patches import PatchError, apply, lines_of, same_lines
from kgfs.tools.prompts.front_matter import read_front_matter
from kgfs.tools.prompts.loading_marks import read_mark
from kgfs.tools.prompts.skill_files import BrokenSkill, read_skill
from tests.fuzz.target import Check, Target, text_of
from tests.tools.test_patches import reference


def _require_name(name: str) -> None:
    """A name of the tree is one component that every system takes."""
    assert name not in ("", ".", "..") and "/" not in name and "\0" not in name, name
    assert len(names.name_bytes(name)) <= 255 and names.one_line(name) == name and names.is_utf8(name), name


def _check_names(data: bytes) -> None:
    text = text_of(data)
    assert names.name_text(names.name_bytes(text)) == text and names.name_bytes(text) == data
    stored = names.as_utf8(text)
    stored.encode()
    if not any(chr(0x10FF80) <= char <= chr(0x10FFFF) for char in text):
        assert stored.translate(names.AS_NAMED) == text
    slug = names.slug(text)
    _require_name(slug)
    assert names.slug(slug) == slug, (slug, names.slug(slug))
    assert len(slug.encode()) <= names.MAX_SLUG_BYTES
    taken = {names.slug_key(slug)}
    for _ in range(3):
        other = names.unique_slug(slug, taken.__contains__, [text_of(data[:3])] if slug.isascii() else ())
        assert names.slug_key(other) not in taken
        taken.add(names.slug_key(other))
    kind = names.fact_type(text)
    assert re.fullmatch(r"\w+", kind), kind
    _require_name(kind)
    assert len(kind.encode()) <= names.MAX_SLUG_BYTES
    _require_name(names.entity_directory(text))
    _require_name(names.role_directory(kind) or "none")
    assert not re.search("[\r\n\t]", names.one_line(names.tsv_field(text)))
    assert len(names.one_line(text)) == len(text)
    for limit in (0, 1, 5, 255):
        assert len(names.cut_bytes(text, limit).encode("utf-8", "surrogatepass")) <= limit
    names.is_knowledge(text)
    json.loads(names.json_bytes({text: [text]}))


def _check_paths(data: bytes) -> None:
    text = text_of(data)
    ref = paths.parse_ref(text)
    if ref is not None:
        assert f"{ref.drive}:{ref.path}" == text and paths.is_drive(ref.drive)
    number = paths.item_id(text)
    assert number is None or (number >= 0 and str(number) == text.lstrip("0").rjust(1, "0"))
    fact = paths.parse_fact(text)
    assert fact is None or paths.is_fact_id(fact)
    for chunk in (paths.parse_chunk(text), paths.parse_chunk_id(text)):
        assert chunk is None or (chunk.ordinal.isdigit() and "/" not in chunk.document and int(chunk.ordinal) >= 0)
    entity = paths.parse_entity(text)
    assert entity is None or "/" not in entity
    paths.source_name(text)
    beneath = paths.below("/kg", text)
    assert beneath is None or "/kg" + beneath == text
    if paths.is_url(text):
        with contextlib.suppress(UsageError, NotFoundError):
            drive, path = detect_drive(text)
            assert paths.is_drive(drive) and path.startswith("/"), (drive, path)


def _check_patches(data: bytes) -> None:
    """A text, then patches of three parts each, all behind NUL bytes."""
    text, *parts = text_of(data).split("\0")
    patches = []
    for start, end, content in zip(parts[0::3], parts[1::3], parts[2::3], strict=False):
        numbers = [int(word) if re.fullmatch("[0-9]{1,5}", word) else len(word) for word in (start, end)]
        patches.append(Patch(start_line=numbers[0], end_line=numbers[1], content=content))
    if not patches:
        return
    wanted = reference(text, patches)
    try:
        made = apply(text, patches)
    except PatchError:
        assert wanted is None, wanted
        return
    # New lines end as their neighbours do, which the second implementation does not know.
    assert wanted is not None and made.replace("\r\n", "\n") == wanted.replace("\r\n", "\n"), (made, wanted)
    assert "".join(lines_of(made)) == made and same_lines(text, text, patches)


def _check_front_matter(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    found = front_matter(text)
    assert 0 <= found.end <= len(text)
    json.dumps(found.attributes, allow_nan=False).encode()
    matter = read_front_matter(text)
    assert matter is None or 0 <= matter.body <= len(text)
    mark = read_mark(text)
    assert mark.mark is None or isinstance(mark.mark, str)
    with contextlib.suppress(BrokenSkill):
        skill = read_skill("a-skill", data)
        assert skill.name == "a-skill" and "\n" not in skill.description


def _pure(check: Check) -> object:
    @contextlib.contextmanager
    def opened(directory: Path) -> Iterator[Check]:
        yield check

    return opened


TEXT_TARGETS = {
    "names": Target(
        "slugs, types and fields of texts, whatever bytes they have",
        _pure(_check_names),  # type: ignore[arg-type]
        lambda: [b"Alphabet Inc.", "Zürich – «Bank»".encode(), b"CHAIR_OF", b"\xff\xfe", "東京".encode()],
        (b"..", b"/", b"~2", b"\0", "\u200b".encode(), "\u0301".encode(), "ﬀ".encode(), "İ".encode(), b"\xed\xa0\x80"),
    ),
    "paths": Target(
        "the grammar of PATH, and URLs as drives",
        _pure(_check_paths),  # type: ignore[arg-type]
        lambda: [
            b"/kg/entities/people/Ada_Lovelace/summary.txt",
            b"disk:/home/ann/a.md",
            b"a_report_chunk_0042",
            b"chunks/by_document/report/chunk_0001/text.txt",
            b"f_0123456789abcdef",
            b"sources/notes/",
            b"00017",
            b"https://github.com/a/b/blob/main/README.md",
            b"https://docs.google.com/document/d/abc/edit",
            b"http://user@xn--bcher-kva.example:8080/%7Ea/?q=1#top",
        ],
        (b"://", b"%2F", b"%00", b"..", b"[::1]", b":99999", "²".encode(), "٣".encode(), b"@", b"#", b"?"),
    ),
    "patches": Target(
        "line patches beside a second implementation",
        _pure(_check_patches),  # type: ignore[arg-type]
        lambda: [b"one\ntwo\nthree\n\x002\x003\0new\n", b"a\nb\x001\x000\0first\x002\x002\0", b"\x001\x000\0x"],
        (b"\0", b"\n", b"0", b"1", b"2", b"99999", b"\r\n"),
    ),
    "front-matter": Target(
        "front matter of documents, marks and skills",
        _pure(_check_front_matter),  # type: ignore[arg-type]
        lambda: [
            b"---\ntitle: A\ntags: [a, b]\ndate: 2020-01-02\n---\ntext\n",
            b'+++\ntitle = "A"\nn = 1.5\n+++\ntext\n',
            b"---\nname: a-skill\ndescription: What it does.\nloading: always\n---\nBody\n",
            b"---\na: &x [1]\nb: *x\n...\n",
        ],
        (
            b"---\n",
            b"+++\n",
            b"...\n",
            b"&a",
            b"*a",
            b"!!",
            b"!!timestamp ",
            b"0o7",
            b": ",
            b"{",
            b"[",
            b"1e999",
            b"? ",
        ),
    ),
}
