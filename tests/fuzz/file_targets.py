"""Targets that take a file of somebody else: bundles, a file of the Agent Filesystem, documents of each format."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec

from kgfs.agentfs.audit.tool_calls import Call, ToolCalls
from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.exchange.transfer import import_path
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.agentfs.keys.key_values import KeyValues
from kgfs.config import Config
from kgfs.documents.formats.parsing import document_blocks, parse_document
from kgfs.documents.formats.registry import FORMATS
from kgfs.errors import KgfsError
from kgfs.exchange.bundle import Bundle
from kgfs.exchange.exporting import export_bundle
from kgfs.filesystem import ROOT
from kgfs.progress import Never
from kgfs.service.trial import require_sound
from kgfs.store.catalog import schema
from tests.exchange.test_crafted_bundles import rows_of, signed
from tests.fuzz.target import Check, Target
from tests.graph_builder import build

NEWEST = schema.migrations()[-1].number
FILE = stat.S_IFREG | 0o644


@cache
def _sound_bundle() -> bytes:
    """A bundle that was written by an export."""
    with (
        tempfile.TemporaryDirectory() as place,
        build(Path(place) / "store", entities=3, documents=2, chunks_a_document=1, topics=2) as database,
    ):
        return b"".join(export_bundle(database, lambda progress: None, Never()))


@contextlib.contextmanager
def _bundle(directory: Path) -> Iterator[Check]:
    """Lines with a digest that is right, so that what is in them is looked at; else the bytes as they are."""
    path = directory / "bundle.jsonl"

    def check(data: bytes) -> None:
        header, *lines = data.splitlines(keepends=True) or [b""]
        bundle = data
        with contextlib.suppress(msgspec.DecodeError, ValueError, AttributeError, TypeError, UnicodeDecodeError):
            bundle = signed(header, rows_of(data + b"\nlast")[1]) if lines else data
        path.write_bytes(bundle)
        try:
            with Bundle(path, NEWEST) as opened:
                for _ in opened.rows():
                    pass
                require_sound(opened, directory, Config(), lambda progress: None, Never())
        except KgfsError as error:
            assert "bundle.jsonl" in error.message, error.message
        assert [each.name for each in directory.iterdir()] == ["bundle.jsonl"]

    yield check


def _bundle_seeds() -> list[bytes]:
    lines = _sound_bundle().splitlines(keepends=True)
    one_of_each = {next(iter(json.loads(line))): line for line in reversed(lines[1:-1])}
    return [b"".join(lines[:-1]), lines[0] + b"".join(one_of_each.values()), _sound_bundle(), lines[0]]


@cache
def _sound_file() -> bytes:
    """An ``agent.db`` with files, keys and calls."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "agent.db"
        with AgentDatabase(path) as database:
            files = Workspace(database)
            folder = files.make(ROOT, b"folder", stat.S_IFDIR | 0o755, 0, 0, 0).ino
            file = files.make(folder, b"file", FILE, 0, 0, 0).ino
            files.write(file, 0, b"0123456789" * 200)
            files.link(file, ROOT, b"twin")
            files.symlink(ROOT, b"link", b"folder/file", 0, 0)
            files.setxattr(file, b"user.a", b"x")
            files.close()
            KeyValues(database).set("a", "1")
            ToolCalls(database).record([Call(name="x", started_ns=1, ended_ns=2)])
        return path.read_bytes()


@contextlib.contextmanager
def _agent_file(directory: Path) -> Iterator[Check]:
    """Changes of a sound file, five bytes each: a place (three), how (one), a value. What comes of it is imported."""
    given, home = directory / "given.db", directory / "home"

    def check(data: bytes) -> None:
        changed = bytearray(_sound_file())
        for start in range(0, len(data) - 4, 5):
            place = int.from_bytes(data[start : start + 3], "big") % len(changed)
            how, value = data[start + 3], data[start + 4]
            if how < 200:
                changed[place] = value
            elif how < 230:
                changed[place : place + value + 1] = bytes(min(value + 1, len(changed) - place))
            elif how < 250:
                changed[place : place + 4] = data[start : start + 4]
            elif place >= 4096:
                del changed[place:]
        given.write_bytes(bytes(changed))
        home.mkdir()
        try:
            with AgentDatabase(home / "agent.db") as database:
                workspace = Workspace(database)
                try:
                    import_path(database, workspace, given, b"in", keys=True, calls=True)
                finally:
                    workspace.close()
        except KgfsError as error:
            assert error.message
        finally:
            shutil.rmtree(home)

    yield check


@contextlib.contextmanager
def _documents(directory: Path) -> Iterator[Check]:
    """A byte for the format, then the file. The text is cut into chunks without a loss, and nothing is raised."""
    config = Config()

    def check(data: bytes) -> None:
        if not data:
            return
        row = FORMATS[data[0] % len(FORMATS)]
        name = f"a{row.suffixes.split()[0]}"
        document = parse_document(data[1:], name, config=config)
        if document.text is None:
            return
        document.text.encode()
        json.dumps(document.front_matter, allow_nan=False)
        assert "".join(chunk.text for chunk in document.chunks) == document.text or not document.chunks
        blocks = document_blocks(document)
        assert all(0 <= block.start <= block.end <= len(document.text) for block in blocks)
        assert "\n" not in document.title and "\n" not in (document.lead or "").strip("\n")
        msgspec.msgpack.encode(document)

    yield check


def _zip(**files: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/").replace("_DOT_", "."), text)
    return packed.getvalue()


TEXTS = {
    ".md": "# Title\n\nText [a](b.md) and `code`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- item\n  - deeper\n\n> q\n",
    ".html": "<html><title>T</title><body><h1>A</h1><p>Text <a href='b'>b</a><table><tr><td>1</table></body>",
    ".rst": "Title\n=====\n\n.. _label:\n\nText `a <b>`_.\n\n.. toctree::\n\n   one\n\n"
    "===  ===\na    b\n===  ===\n1    2\n===  ===\n",
    ".org": "#+TITLE: T\n* Head :tag:\nText [[a][b]]\n| a | b |\n#+BEGIN_SRC c\nx\n#+END_SRC\n",
    ".adoc": "= Title\nAnn <a@b.c>\n\n== Head\n\n|===\n|a |b\n|===\n\nterm:: text\n",
    ".tex": "\\documentclass{article}\\title{T}\\begin{document}\\section{A}Text \\emph{x} $a^2$\\end{document}",
    ".rtf": "{\\rtf1\\ansi{\\fonttbl{\\f0 A;}}{\\info{\\title T}}\\b Bold\\b0 \\u8364? \\'e9\\par text}",
    ".csv": 'name,age\nAnn,3\n"B, C",4\n',
    ".json": '{"a": [1, {"b": "c"}], "name": "x"}',
    ".yaml": "a: 1\nb:\n  - c: d\n",
    ".toml": "[a]\nb = 1\n",
    ".vcf": "BEGIN:VCARD\nFN:Ann\nORG:Acme\nEND:VCARD\n",
    ".ics": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:A\nDTSTART:20200101T000000Z\nEND:VEVENT\nEND:VCALENDAR\n",
    ".eml": "From: Ann <a@b.c>\nTo: d@e.f\nSubject: =?utf-8?q?=C3=A9?=\nDate: Mon, 1 Jan 2020 00:00:00 +0000\n"
    "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nHello\n--x--\n",
    ".mbox": "From a@b.c Mon Jan  1 00:00:00 2020\nFrom: a@b.c\nSubject: x\n\nHello\n\n",
    ".ipynb": '{"cells":[{"cell_type":"markdown","metadata":{},"source":["# A"]}],"metadata":{},"nbformat":4,'
    '"nbformat_minor":5}',
    ".py": "class A:\n    def b(self):\n        return 1\n",
    ".sql": "CREATE TABLE a (b INT);\n",
    ".xml": "<a><b>c</b></a>",
    ".txt": "A. Title\n\nText of 3 March 2020.\n\nName: Ann\nRole: Chair\n",
}


def _document_seeds() -> list[bytes]:
    suffixes = [row.suffixes.split()[0] for row in FORMATS]
    seeds = [bytes([suffixes.index(suffix)]) + text.encode() for suffix, text in TEXTS.items()]
    word = _zip(
        **{
            "[Content_Types]_DOT_xml": "<Types/>",
            "word__document_DOT_xml": "<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'>"
            "<w:body><w:p><w:r><w:t>Text</w:t></w:r></w:p></w:body></w:document>",
        }
    )
    odt = _zip(mimetype="application/vnd.oasis.opendocument.text", content_DOT_xml="<a/>")
    pdf = (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
        b"trailer<</Root 1 0 R>>"
    )
    return [
        *seeds,
        bytes([suffixes.index(".docx")]) + word,
        bytes([suffixes.index(".odt")]) + odt,
        bytes([suffixes.index(".pdf")]) + pdf,
    ]


FILE_TARGETS = {
    "bundles": Target(
        "lines of a bundle, with a digest that is right",
        _bundle,
        _bundle_seeds,
        (
            b'{"entities":{',
            b'"id":',
            b"null",
            b"-1",
            b"1e400",
            b'"\\u0000"',
            b'"../.."',
            b"[",
            b"{",
            b"\n",
            b'"slug":"a/b"',
        ),
    ),
    "agent-db": Target(
        "an agent.db with changed bytes, imported",
        _agent_file,
        lambda: [
            b"\0\0\0\0\0",
            b"\x00\x10\x00\xff\x00",
            b"\0\0\x12\x00\x05\x00\x20\x00\xd0\xff",
            b"\x00\x50\x10\xf0\x01",
            b"\0\0\x1f\xbb\x1f\xbb\x1f\xbb\0\x80\0\0\0",  # a damaged name in what SQLite says
        ],
    ),
    "documents": Target(
        "files of each format, parsed and cut",
        _documents,
        _document_seeds,
        (
            b"\n",
            b"#",
            b"---\n",
            b"```",
            b"|",
            b"[",
            b"](",
            b"<",
            b"\\",
            b"{",
            b"=====",
            b".. ",
            b"\0",
            b"\xff\xfe",
            b"&#x110000;",
            b"\\u-1?",
            b"\\bin99999 ",
            b"\r",
            "\u2028".encode(),
            b"<!--",
            b"]]>",
            b"\\begin{",
            b":\n",
        ),
    ),
}
