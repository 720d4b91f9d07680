"""EPUB: the chapters in reading order, each read as a page of HTML.

One of the readers of ``kgfs.documents.formats``; pure. An EPUB is a zip archive of XHTML with an index, so zipfile and
the reader of pages do; the one kept-up library for it is under a copyleft licence.
"""

from __future__ import annotations

import posixpath
import zipfile
from typing import Any
from urllib.parse import unquote

from kgfs.documents import dates
from kgfs.documents.formats.archive import open_archive, read_member
from kgfs.documents.formats.detection import declared_encoding
from kgfs.documents.formats.page import bounded_source
from kgfs.documents.formats.reading import FileText, RawFile, Unreadable, printable, property_lines, split_words
from kgfs.documents.formats.writing import FIRST_PART_KEPT, MarkdownWriter, TextFull
from kgfs.documents.formats.xml import local_name, parse_xml
from kgfs.documents.html import read_page
from kgfs.documents.summaries import MAX_DESCRIPTION

_PAGES = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml"})


def read(source: RawFile) -> FileText:
    """An EPUB. ``Unreadable`` where it is broken, unpacks to too much, or its chapters are encrypted."""
    with open_archive(source) as archive:
        place = _index_place(archive)
        index = parse_xml(_required(archive, place))
        chapters = _chapters(index, place)
        encrypted = _encrypted(archive)
        if chapters and all(name in encrypted for name in chapters):
            raise Unreadable("Its text is encrypted (it is protected against copying)")
        writer = MarkdownWriter(source.config.max_extracted_bytes)
        notes: list[str] = []
        left_out = 0
        try:
            for name in chapters:
                try:
                    page = read_page(bounded_source(_decoded(read_member(archive, name)))[0])
                except (KeyError, Unreadable):
                    left_out += 1
                    continue
                writer.raw(page.text)
        except TextFull:
            notes.append(FIRST_PART_KEPT)
    if left_out:
        notes.append(f"{left_out} of {len(chapters)} chapters are missing or broken; they were left out.")
    text = writer.text()
    if not text:
        raise Unreadable("No text in it")
    said = _said(index)
    return FileText(
        text,
        title=printable(next(iter(said.get("title", [])), "")),
        date=dates.from_value(next(iter(said.get("date", [])), "")),
        description=printable(next(iter(_plain(said.get("description", []))), ""))[:MAX_DESCRIPTION],
        front_matter=property_lines(
            author=", ".join(said.get("creator", [])),
            publisher=", ".join(said.get("publisher", [])),
            language=", ".join(said.get("language", [])),
        ),
        tags=[tag for subject in said.get("subject", []) for tag in split_words(subject)][:50],
        notes=notes,
    )


def _required(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        return read_member(archive, name)
    except KeyError as error:
        raise Unreadable("It is broken (its index is missing)") from error


def _index_place(archive: zipfile.ZipFile) -> str:
    container = parse_xml(_required(archive, "META-INF/container.xml"))
    for element in container.iter():
        if local_name(element) == "rootfile" and element.get("full-path"):
            return unquote(str(element.get("full-path")))
    raise Unreadable("It is broken (its index is missing)")


def _chapters(index: Any, place: str) -> list[str]:
    """The archive's names of the pages, in reading order, each once."""
    pages: dict[str, str] = {}
    order: list[str] = []
    folder = posixpath.dirname(place)
    for element in index.iter():
        name = local_name(element)
        if name == "item" and element.get("href") and element.get("media-type") in _PAGES:
            href = unquote(str(element.get("href"))).partition("#")[0]
            pages[str(element.get("id"))] = posixpath.normpath(posixpath.join(folder, href))
        elif name == "itemref":
            order.append(str(element.get("idref")))
    return list(dict.fromkeys(pages[one] for one in order if one in pages))


def _encrypted(archive: zipfile.ZipFile) -> set[str]:
    try:
        root = parse_xml(read_member(archive, "META-INF/encryption.xml"))
    except (KeyError, Unreadable):
        return set()
    return {
        unquote(str(one.get("URI"))) for one in root.iter() if local_name(one) == "CipherReference" and one.get("URI")
    }


def _said(index: Any) -> dict[str, list[str]]:
    """The metadata by its Dublin Core names."""
    found: dict[str, list[str]] = {}
    metadata = next((element for element in index.iter() if local_name(element) == "metadata"), None)
    for element in metadata.iter() if metadata is not None else ():
        text = "".join(element.itertext()).strip() if local_name(element) else ""
        if text and len(found.setdefault(local_name(element), [])) < 20:
            found[local_name(element)].append(text)
    return found


def _plain(descriptions: list[str]) -> list[str]:
    """Descriptions without the markup that many of them hold."""
    return [read_page(one).text if "<" in one else one for one in descriptions]


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode(declared_encoding(data) or "utf-8", "replace")
    return text.replace("\0", "\ufffd")
