"""The processes that parse documents: their limits on time and memory, their deaths, and input without end."""

from __future__ import annotations

import os
import re
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from kgfs.child import Pool
from kgfs.config import Config
from kgfs.documents.formats import parsing
from kgfs.errors import DeadlineExceeded, WorkerError
from kgfs.model import Gazetteer, ParsedDocument
from kgfs.models.client import Worker
from kgfs.worker import PARSER, Calls
from tests.documents.made_files import pdf, scan, with_part, word, workbook
from tests.rounds import rounds

pytestmark = pytest.mark.usefixtures("new_pythons")

SENTENCE = "Wages in the Boston District rose modestly."


class Parsers(Calls):
    """The parser children of a worker, in this process."""

    def __init__(self, config: Config) -> None:
        super().__init__(Path("/nowhere"), config)
        self.idle, self.close = self.parsers.idle, self.parsers.close

    def read(self, data: bytes, name: str) -> ParsedDocument:
        return self.parse("", data, name, 0)


@pytest.fixture(scope="module")
def parsers() -> Iterator[Parsers]:
    one = Parsers(Config())
    yield one
    one.close()


def checked(document: ParsedDocument) -> ParsedDocument:
    assert document.text is not None, document.unread
    if document.chunks:
        assert "".join(piece.text for piece in document.chunks) == document.text
    return document


def endless() -> bytes:
    """A PDF that takes some minutes to read: thousands of pages of many letters."""
    return pdf([[(6, "endless words " * 12)] * 100] * 300)


def test_documents_are_parsed_by_one_process_after_another(parsers: Parsers) -> None:
    assert checked(parsers.read(pdf([[(11, SENTENCE)]]), "a.pdf")).text == SENTENCE + "\n"
    assert parsers.read(scan(), "a.pdf").unread == "No text (scanned?); kept as a file."
    assert checked(parsers.read(b"# Head\n", "\udcff.md")).title == "Head"
    assert len(parsers.idle()) == 1
    pid = parsers.idle()[0]
    parsers.read(b"x", "a.txt")
    assert parsers.idle() == [pid]


def test_two_documents_at_once(parsers: Parsers) -> None:
    data = pdf([[(11, f"{SENTENCE} {number}")] * 50 for number in range(40)])
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda number: parsers.read(data, f"{number}.pdf"), range(6)))
    assert len({document.text for document in found}) == 1
    assert len(parsers.idle()) <= 2


def test_a_document_that_takes_too_long_is_stopped() -> None:
    parsers = Parsers(Config(parse_seconds=0.7))
    parsers.read(b"x", "a.txt")
    (pid,) = parsers.idle()
    started = time.monotonic()
    with pytest.raises(DeadlineExceeded, match=r"reading it took longer than 0\.7 seconds"):
        parsers.read(endless(), "a.pdf")
    assert time.monotonic() - started < 20
    assert not Path(f"/proc/{pid}").exists()
    assert parsers.read(b"words\n", "a.txt").text == "words\n"
    parsers.close()


def test_a_document_that_takes_too_much_memory_is_stopped() -> None:
    parsers = Parsers(Config(parse_memory_bytes=300 << 20))
    rows = "".join(f'<row r="{n}"><c r="A{n}"><v>1</v></c><c r="CV{n}"><v>1</v></c></row>' for n in range(1, 190_000))
    sheet = f'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>'
    data = with_part(workbook({"S": [["x"]]}), "xl/worksheets/sheet1.xml", sheet.encode())
    with pytest.raises(WorkerError, match="memory"):
        parsers.read(data, "a.xlsx")
    assert parsers.read(b"words\n", "a.txt").text == "words\n"
    parsers.close()


def pdf_that_swells() -> bytes:
    """1.4 MB of one stream that unpacks to 1.4 GB."""
    packed = zlib.compress(b" " * 1_400_000_000, 1)
    return with_stream(pdf([[(11, SENTENCE)]]), packed)


def document_of_many_elements() -> bytes:
    """A DOCX within the limits of archives, whose tree of XML takes ten times its size."""
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    body = "".join(f"<w:p w:a='{number}'/>" for number in range(9_000_000))
    xml = f"<w:document {space}><w:body>{body}</w:body></w:document>"
    return with_part(word(lambda document: document.add_paragraph(SENTENCE)), "word/document.xml", xml.encode())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "make"), [("a.pdf", pdf_that_swells), ("a.docx", document_of_many_elements)], ids=["pdf", "docx"]
)
def test_the_limit_on_memory_is_what_the_docs_say(name: str, make: Callable[[], bytes]) -> None:
    """All that is resident of the process together, by the setting as it is; the sentence names what allows more."""
    assert Config().parse_memory_bytes == 1 << 30
    parsers = Parsers(Config())
    parsers.read(b"x", "a.txt")
    (pid,) = parsers.idle()
    data = make()
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(parsers.read, data, name)
        most = 0
        while not reading.done():
            most = max(most, _peak(pid))
            time.sleep(0.005)
    with pytest.raises(WorkerError, match=r"1,024 MiB.*; parse_memory_bytes allows more"):
        reading.result()
    assert 900 << 20 < most <= 1 << 30
    assert parsers.read(b"words\n", "a.txt").text == "words\n"
    parsers.close()


@pytest.mark.long
def test_large_documents_need_no_more_than_half_of_the_limit() -> None:
    """A report of 500 pages, a sheet of 100,000 rows, 16 MB of HTML; in a short run a fifth, in half of that."""
    part = rounds(5, 1)
    parsers = Parsers(Config(parse_memory_bytes=Config().parse_memory_bytes // 2 // rounds(2, 1)))
    pages = [[(11, f"{SENTENCE} Page {page}, line {line}.") for line in range(50)] for page in range(500 // part)]
    assert len(checked(parsers.read(pdf(pages), "a.pdf")).pages) == 500 // part
    cells = [f'<c r="{column}{{0}}"><v>1</v></c>' for column in "ABCDEFGHIJ"]
    row = f'<row r="{{0}}">{"".join(cells)}<c r="K{{0}}" t="inlineStr"><is><t>name {{0}}</t></is></c></row>'
    rows = 100_000 // part
    sheet = "".join(row.format(number) for number in range(1, rows + 1))
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    xml = f"<worksheet {space}><sheetData>{sheet}</sheetData></worksheet>"
    book = with_part(workbook({"S": [["x"]]}), "xl/worksheets/sheet1.xml", xml.encode())
    document = checked(parsers.read(book, "a.xlsx"))
    assert f"name {rows}" in (document.text or "")
    assert document.chunks
    page = "".join(f"<h2>Part {number}</h2><p>{SENTENCE * 10}</p>" for number in range(40_000 // part))
    assert len(page) > (16 << 20) // part
    assert checked(parsers.read(page.encode(), "a.html")).text
    parsers.close()


def with_stream(data: bytes, packed: bytes) -> bytes:
    """A PDF whose one page has this packed stream as its content; the table of places is made anew by the reader."""
    content = re.search(rb"/Contents (\d+) 0 R", data)
    assert content is not None
    head = b"%s 0 obj\n<< /Filter /FlateDecode /Length %d >>\nstream\n" % (content[1], len(packed))
    end = data.rindex(b"xref", 0, data.rindex(b"startxref"))
    return (
        data[:end] + head + packed + b"\nendstream\nendobj\n" + data[data.index(b"trailer") : data.index(b"startxref")]
    )


def _peak(pid: int) -> int:
    """The most bytes of memory that a process has held; 0 when it is gone."""
    try:
        found = re.search(r"^VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.M)
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


@pytest.mark.slow
def test_each_call_has_its_own_time() -> None:
    """The extractor's is by the size of the text; the process goes, the next document has another."""
    calls = Calls(Path("/nowhere"), Config(extract_seconds=0.5))
    document = msgspec.Raw(msgspec.msgpack.encode(parsing.parse_document(f"{SENTENCE}\n\n".encode() * 4000, "a.md")))
    known = msgspec.Raw(msgspec.msgpack.encode(Gazetteer()))
    with pytest.raises(DeadlineExceeded, match=r"longer than 0\.5 seconds; extract_seconds allows more"):
        calls.extract(document, known)
    assert calls.extractors.idle() == []
    patient = Calls(Path("/nowhere"), Config(extract_seconds=600))
    assert patient.extract(document, known).extractor
    patient.extractors.close()


def test_a_call_waits_for_its_turn() -> None:
    """No more children than the program may have, however many threads ask."""
    pool = Pool(PARSER._replace(most=1), Config())

    def parse(number: int) -> ParsedDocument:
        found: ParsedDocument = pool.call(60, data=b"x", path=b"", name=b"%d.txt" % number, mtime_ns=0, size=1, url="")
        return found

    with ThreadPoolExecutor(3) as threads:
        assert [document.text for document in threads.map(parse, range(6))] == ["x"] * 6
    assert len(pool.idle()) == 1
    pool.close()
    assert pool.idle() == []


def test_a_child_that_has_grown_large_is_replaced() -> None:
    pool = Pool(PARSER._replace(kept_bytes=1), Config())
    assert pool.call(60, data=b"x", path=b"", name=b"a.txt", mtime_ns=0, size=1, url="").text == "x"
    assert pool.idle() == []


def test_a_child_that_was_killed_is_replaced(parsers: Parsers) -> None:
    parsers.read(b"x", "a.txt")
    (pid,) = parsers.idle()[-1:]
    os.kill(pid, 9)
    time.sleep(0.1)
    assert parsers.read(b"words\n", "a.txt").text == "words\n"


def test_children_leave_with_the_worker(new_worker: Worker) -> None:
    new_worker.parse("/a.txt", b"x", "a.txt", 0)
    assert new_worker.pid is not None
    children = [int(pid) for pid in Path(f"/proc/{new_worker.pid}/task/{new_worker.pid}/children").read_text().split()]
    children += [
        int(pid)
        for task in Path(f"/proc/{new_worker.pid}/task").iterdir()
        for pid in (task / "children").read_text().split()
    ]
    assert children
    os.kill(new_worker.pid, 9)
    deadline = time.monotonic() + 10
    while any(_runs(pid) for pid in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(_runs(pid) for pid in children)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


# --- input without end ---------------------------------------------------------------------------------------------


def test_a_page_of_100_mb_with_scripts() -> None:
    script = b"<script>var a = '" + b"x<b>y</b>" * 5_500_000 + b"';</script>"
    data = b"<html><body><h1>Head</h1>" + script + f"<p>{SENTENCE}</p>".encode() + script + b"<p>End.</p></body></html>"
    assert len(data) > 90 << 20
    parsers = Parsers(Config(parse_memory_bytes=1 << 30))
    document = checked(parsers.read(data, "a.html"))
    parsers.close()
    assert document.text == f"# Head\n\n{SENTENCE}\n\nEnd.\n"
    assert document.chunks


@pytest.mark.long
@pytest.mark.parametrize("name", ["a.html", "a.md", "a.txt", "a.csv", "a.py", "a.json"])
def test_a_line_of_50_mb(parsers: Parsers, name: str) -> None:
    """In a short run of 13 MB, which is more than any format reads whole."""
    data = b"word " * rounds(2_600_000, 10_000_000)
    document = checked(parsers.read(data, name))
    assert not document.chunks
    assert any("larger than" in note for note in document.notes)
    assert len(document.text or "") >= 12_000_000
    if name != "a.html":
        assert document.text == data.decode()


@pytest.mark.parametrize("name", ["a.html", "a.md", "a.txt", "a.csv", "a.py", "a.json", "a.eml"])
def test_a_line_that_is_chunked(parsers: Parsers, name: str) -> None:
    head = b"Subject: s\n\n" if name == "a.eml" else b""
    document = checked(parsers.read(head + b"word " * 300_000, name))
    assert len(document.chunks) > 500
    assert max(piece.tokens for piece in document.chunks) <= 400
