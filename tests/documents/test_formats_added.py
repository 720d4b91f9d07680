"""``kgfs add`` over a folder with one file of each format, good and bad: all is kept, what is wrong told in a line."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat.v4 as nb
import pytest

from kgfs.cli.main import run
from tests.conftest import Program
from tests.documents.made_files import book, deck, letter, notebook, pdf, scan, with_part, word, workbook

SENTENCE = "Wages in the Boston District rose modestly."


def good(text: str) -> dict[str, bytes]:
    """One file of each format that says ``text``."""

    def slide(presentation: object) -> None:
        made = presentation.slides.add_slide(presentation.slide_layouts[1])  # type: ignore[attr-defined]
        made.shapes.title.text = "On wages"
        made.placeholders[1].text = text

    message = bytes(letter(text + "\n", Subject="On wages", Date="Wed, 16 Oct 2019 09:30:00 +0000"))
    return {
        "report.pdf": pdf([[(11, text)], [(11, f"{text} Again.")]]),
        "minutes.docx": word(lambda document: document.add_paragraph(text)),
        "talk.pptx": deck(slide),
        "rates.xlsx": workbook({"Rates": [["what", "year"], [text, 2019]]}),
        "novel.epub": book({"one.xhtml": f"<html><body><p>{text}</p></body></html>"}),
        "letter.eml": message,
        "inbox.mbox": b"From a@example.org Wed Oct 16 09:30:00 2019\n" + message,
        "study.ipynb": notebook([nb.new_markdown_cell(text)]).encode(),
        "program.py": f"# {text}\ndef main():\n    pass\n".encode(),
        "table.csv": f"year,what\n2019,{text}\n".encode(),
        "page.html": f"<p>{text}</p>".encode(),
        "note.md": f"# Note\n\n{text}\n".encode(),
    }


BAD = {
    "scan.pdf": (scan(), "No text (scanned?); kept as a file."),
    "locked.pdf": (pdf([[(11, SENTENCE)]], password="x"), "It asks for a password; kept as a file."),
    "torn.pdf": (b"%PDF-1.7\n1 0 obj\n", "It is broken (no PDF reader can open it); kept as a file."),
    "torn.docx": (b"PK\x03\x04torn", "It is broken or not of the format that its name says; kept as a file."),
    "bomb.docx": (
        with_part(word(lambda document: None), "word/document.xml", b" " * (60 << 20)),
        "times its size; kept as a file.",
    ),
}


@pytest.mark.slow
def test_a_folder_of_everything(
    kgfs: Program, light_store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, store = tmp_path / "files", light_store
    folder.mkdir()
    for name, data in {**good(SENTENCE), **{name: data for name, (data, _) in BAD.items()}}.items():
        (folder / name).write_bytes(data)
    said = kgfs("--store", store, "--json", "add", folder, status=5)
    result = json.loads(said.stdout.splitlines()[-1])
    told = {Path(failure["path"]).name: failure["error"] for failure in result["failed"]}
    assert told.keys() == BAD.keys()
    for name, (_, expected) in BAD.items():
        assert told[name].endswith(expected) and "\n" not in told[name]

    documents = kgfs("--store", store, "ls", "documents").stdout.split()
    for name in good(""):
        slug = Path(name).stem
        assert slug in documents
        # In this process: starting the program twelve times would take most of the test.
        capsys.readouterr()
        assert run(["--store", str(store), "cat", f"documents/{slug}/text.txt"]) == 0
        assert SENTENCE in capsys.readouterr().out, name
    place = f"context/disk{folder}"
    assert set(kgfs("--store", store, "ls", place).stdout.split()) == {*good(""), *BAD}
    metadata = json.loads(kgfs("--store", store, "cat", "chunks/by_document/report/chunk_0001/metadata.json").stdout)
    assert metadata["page"] == 1
    assert json.loads(kgfs("--store", store, "cat", "documents/letter/metadata.json").stdout)["date"].startswith(
        "2019-10-16"
    )

    again = kgfs("--store", store, "--json", "add", folder, status=0)
    assert json.loads(again.stdout.splitlines()[-1])["skipped"] == {"unchanged": len(good("")) + len(BAD)}
