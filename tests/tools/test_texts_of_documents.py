"""The text of a stored file is what was read from it: tools give that of a PDF or a page, by its document's lines."""

from __future__ import annotations

import io
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from kgfs.control import tooling
from kgfs.control.path_arguments import PathArgument, PathFinder
from kgfs.control.stored_places import StoredPlaces
from kgfs.service.service import Service
from kgfs.store.files import items
from kgfs.tools.calling import call
from kgfs.tools.reach import Reach
from tests.conftest import Program, copy_store

Value = dict[str, Any]

PAGE = """<!doctype html><html><head><title>Wages</title><script>var wagesTracker = "track";</script>
<style>.x { color: red }</style></head><body><nav><a href="/">Home</a></nav><article><h1>Wages in Boston</h1>
<p>Wages in the Boston District rose modestly, employers said, and more of them are hiring people this spring.</p>
<p>Employers expect more of the same until the autumn, since few people look for work.</p>
</article><script>trackMore("wages")</script></body></html>
"""
MAIL = (
    "From: Ann <ann@example.org>\nTo: Bob <bob@example.org>\nSubject: Wages\nDate: Mon, 7 Oct 2019 10:00:00 +0000\n"
    "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nV2FnZXMgcm9zZS4KVGhleSBkaWQuCg==\n"
)


def pdf_in_ascii(*lines: str) -> bytes:
    """A PDF whose bytes look like text."""
    shown = " T* ".join(f"({line}) Tj" for line in lines)
    drawn = f"BT /F1 12 Tf 14 TL 72 700 Td {shown} ET" if lines else ""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        " /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
    ]
    body, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return (
        f"{body}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    ).encode("ascii")


def pdf(*lines: str) -> bytes:
    made = io.BytesIO()
    canvas = Canvas(made, invariant=1)
    for number, line in enumerate(lines):
        canvas.drawString(72, 700 - 40 * number, line)
    canvas.save()
    return made.getvalue()


FILES: dict[str, bytes] = {
    "book.pdf": pdf("Wages in Boston rose modestly.", "They did so in May."),
    "plain.pdf": pdf_in_ascii("Wages in Cleveland fell.", "Nobody knows why."),
    "blank.pdf": pdf_in_ascii(),
    "page.html": PAGE.encode(),
    "letter.eml": MAIL.encode(),
    "latin.txt": "Löhne und Wages stiegen.\nÜberall.\n".encode("latin-1"),
    "note.md": b"---\ntitle: Wages\n---\n# A note\n\nWages stayed as they were.",
    "picture.png": b"\x89PNG\r\n\x1a\n\0\0",
    ".hidden.html": b"<p>Wages unseen.</p>\n",
}
BODIES = {"note.md"}
"""What is its own text."""
NO_TEXT = {"blank.pdf", "picture.png"}


@pytest.fixture(scope="module")
def service(kgfs: Program, pristine_light_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    place = tmp_path_factory.mktemp("texts")
    folder = place / "Papers"
    folder.mkdir()
    for name, body in FILES.items():
        (folder / name).write_bytes(body)
    store = copy_store(pristine_light_store, place / "store")
    kgfs("--store", store, "add", "--hidden", "--extractor", "none", folder, status=None, timeout=600)
    with Service.open(store) as opened:
        yield opened


@pytest.fixture(scope="module")
def reach(service: Service) -> Reach:
    return service.reach


@pytest.fixture(scope="module")
def refs(service: Service) -> dict[str, str]:
    """Name to ref."""
    found = {ref.rpartition("/")[2]: ref for (ref,) in service.database.fetch("SELECT ref FROM context_items")}
    return {name: found[name] for name in FILES}


def run(reach: Reach, tool: str, **arguments: Any) -> Value:
    value = call(reach, tool, arguments)
    assert value["is_error"] is False, value
    return value


def shown(service: Service, path: str) -> bytes:
    """What the tree shows at a path."""
    tree = service.namespace
    body = tree.load(tree.resolve(path))
    return body.read(0, body.size + 1)


def texts(service: Service, refs: dict[str, str]) -> dict[str, str]:
    """Name to text, as the tree has it."""
    found = {}
    for name, ref in refs.items():
        rows = service.database.fetch(
            "SELECT d.slug FROM documents d JOIN context_items i USING (id) WHERE ref = ?", [ref]
        )
        if rows:
            found[name] = shown(
                service, service.namespace.path(service.namespace.resolve(f"documents/{rows[0][0]}/text.txt"))
            ).decode()
    return found


def test_the_text_of_an_item_is_that_of_its_document(service: Service, reach: Reach, refs: dict[str, str]) -> None:
    said = texts(service, refs)
    assert set(said) == set(FILES) - NO_TEXT
    for name, text in said.items():
        read = run(reach, "context_read", path=refs[name])
        assert read["content"] == text, name
        assert read["extracted"] is (name not in BODIES), name
        lines = text.splitlines(keepends=True)
        assert read["total_lines"] == len(lines) == run(reach, "context_count_lines", path=refs[name])["lines"]
        assert run(reach, "context_info", path=refs[name])["file"]["lines"] == len(lines)
        for number, line in enumerate(lines, 1):
            one = run(reach, "context_read", path=refs[name], offset=number, limit=1)
            assert one["content"] == line
    assert "script" not in said["page.html"] and "track" not in said["page.html"] and "%PDF" not in said["plain.pdf"]


def test_by_the_path_of_its_text(service: Service, refs: dict[str, str]) -> None:
    stored = StoredPlaces(PathFinder(lambda: service.namespace, service.references, ""), service.writable)
    for name, text in texts(service, refs).items():
        slug = service.database.fetch(
            "SELECT d.slug FROM documents d JOIN context_items i USING (id) WHERE ref = ?", [refs[name]]
        )
        for path in (f"documents/{slug[0][0]}/text.txt", f"/kg/documents/{slug[0][0]}/text.txt") if slug else ():
            value = tooling.answer(service.reach, stored, "context_read", {}, {"path": PathArgument(text=path)})
            assert value["is_error"] is False and value["content"] == text, (path, value)


def test_the_body_itself_on_request(reach: Reach, refs: dict[str, str]) -> None:
    for name, body in FILES.items():
        value = call(reach, "context_read", {"path": refs[name], "raw": True})
        try:
            expected = body.decode()
            textual = "\0" not in expected
        except UnicodeDecodeError:
            textual = False
        if textual:
            assert value["content"] == expected and value["extracted"] is False, name
        else:
            assert value["is_error"] and value["error_type"] == "no_text_content", name


def test_what_no_text_could_be_read_from(reach: Reach, refs: dict[str, str]) -> None:
    for name in NO_TEXT:
        for tool in ("context_read", "context_count_lines"):
            value = call(reach, tool, {"path": refs[name]})
            assert value["is_error"] and value["error_type"] == "no_text_content", (name, value)
            assert "text.txt" not in value["next_action_hint"]
    hint = call(reach, "context_read", {"path": refs["blank.pdf"]})["next_action_hint"]
    assert "raw:true" in hint
    assert run(reach, "context_read", path=refs["blank.pdf"], raw=True)["content"].startswith("%PDF-1.4")


@pytest.mark.parametrize("pattern", ["Wages", "wages|did", "^.", "nobody", "%PDF", "track", "[Ü]ber", "e$", "script"])
@pytest.mark.parametrize("flags", [{}, {"ignore_case": True}, {"whole_words": True}])
def test_lines_that_match_are_those_of_the_text(
    service: Service, reach: Reach, refs: dict[str, str], pattern: str, flags: dict[str, bool]
) -> None:
    expected = []
    wanted = rf"(?<!\w)(?:{pattern})(?!\w)" if flags.get("whole_words") else pattern
    if flags.get("whole_words") and not pattern.isalpha():
        return  # grep's own words are not asked about here
    for name, text in texts(service, refs).items():
        for number, line in enumerate(text.splitlines(), 1):
            if re.search(wanted, line, re.I if flags.get("ignore_case") else 0):
                expected.append((refs[name], number, line))
    value = run(reach, "search_grep", pattern=pattern, max_results=1000, **flags)
    assert sorted((each["ref"], each["line"], each["text"]) for each in value["matches"]) == sorted(expected)
    assert value["total"] == len(expected)
    for name in refs:
        glob = run(reach, "search_grep", pattern=pattern, glob=name, max_results=1000, **flags)
        assert [each["line"] for each in glob["matches"]] == [line for ref, line, _ in expected if ref == refs[name]]


def test_what_was_written_a_moment_ago_is_its_body(service: Service, reach: Reach) -> None:
    """Nobody has read it yet; once it is read, its text is what is shown, and an edit still changes its body."""
    written = run(reach, "context_write", path="/fresh.html", content=PAGE)
    before = run(reach, "context_read", path="/fresh.html")
    assert before["content"] == PAGE and before["extracted"] is False
    assert run(reach, "search_grep", pattern="wagesTracker", path="/fresh.html", drive="agent")["total"] == 1
    service.settle(lambda progress: None, threading.Event())
    after = run(reach, "context_read", path="/fresh.html")
    assert (
        after["extracted"] is True and "Wages in Boston" in after["content"] and "wagesTracker" not in after["content"]
    )
    assert "raw:true" in after["next_action_hint"]
    assert run(reach, "search_grep", pattern="wagesTracker", path="/fresh.html", drive="agent")["total"] == 0
    patch = {"start_line": 2, "end_line": 2, "content": "<style></style></head><body>\n"}
    run(reach, "context_edit", path="/fresh.html", patches=[patch])
    with service.database.read() as cursor:
        body = items.read_item(cursor, int(written["id"]))
    assert body == "".join([*PAGE.splitlines(True)[:1], patch["content"], *PAGE.splitlines(True)[2:]]).encode()
    late = call(
        reach, "context_edit", {"path": "/fresh.html", "patches": [{"start_line": 99, "end_line": 99, "content": ""}]}
    )
    assert late["is_error"] and json.dumps(late)
