"""reStructuredText, Org, AsciiDoc, LaTeX, RTF, ODT: titles, headings, lists, definitions, tables, links, code; and bad files."""

# Sources stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import io
import time
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.config import Config
from kgfs.documents.formats.parsing import document_blocks, parse_document
from kgfs.documents.summaries import running_sentences
from kgfs.extraction.links import document_links
from kgfs.extraction.units import document_units
from kgfs.model import ParsedDocument

RST = """\
=====
Title
=====
:Author: Ann Poe
:Date: 2024-06-04

Intro *para* by :ref:`Bob <bob>` in
two lines, see :doc:`guide/start` and `the list <list.rst>`_ or `a site <https://x.org>`_.

.. _target:

Section A
---------

Term
  What it is. And more.

- one
- two

  more of two

Code follows::

   def x():
       # not read

.. code-block:: python
   :linenos:

   Heading
   -------

.. note::

   Be careful here.

.. glossary::

   Ledger
      A book.

.. include:: /etc/passwd

.. raw:: html
   :file: /etc/passwd

Sub
~~~

+---+---+
| a | b |
+===+===+
| 1 | 2 |
+---+---+

.. a comment
   that goes on

Section B
---------
End.
"""
ORG = """\
#+TITLE: My notes
#+DATE: <2024-06-04 Tue>
#+FILETAGS: :a:b:
:PROPERTIES:
:ID: 123-abc
:ROAM_ALIASES: "Foo Bar" baz
:END:
Intro [[file:other.org::*Sec][the other]] and [[id:77-f][one]] and [[https://x.org][web]].
* TODO [#A] First thing :tag:
SCHEDULED: <2024-01-01 Mon>
- Ledger :: A book.
  It is old.
- plain item
#+begin_src python
* not a heading [[no.org]]
#+end_src
| Name | Boss |
|------+------|
| Ann Poe | Bob Ray |
** 2023-07-10
1. one
: literal
#+INCLUDE: "/etc/passwd"
* Last
#+begin_quote
Said.
#+end_quote
"""
ADOC = """\
// a comment
= Doc Title
Ann Poe <a@x.org>
v1.0, 2024-06-04
:keywords: a, b

Preamble xref:other.adoc#x[Other], <<part.adoc#y,Part>> and https://x.org[a site].

== Section

Ledger:: A book.
Quorum::
  Enough of them.

* item
** sub
goes on

[source,python]
----
== no heading
xref:no.adoc[no]
----

|===
|a |b
|===

====
Inside an example.
====

include::/etc/passwd[]

=== Sub
. first
"""
TEX = r"""\documentclass{article} % \title{No}
\title{On \emph{Things} \& more}
\author{Ann Poe \and Bob Ray}
\date{4 June 2024}
\begin{document}
\maketitle
\section{Intro}\label{sec:i}
G\"odel --- with \textbf{bold}, \href{other.html}{a link}~\cite{a}. % gone
\begin{itemize}
\item One
\item Two
\end{itemize}
\begin{description}
\item[Ledger] A book.
\end{description}
\begin{tabular}{l|c}
\hline Name & Role \\ \hline
Ann Poe & CEO \\
\end{tabular}
\begin{verbatim}
\section{no}
\end{verbatim}
\input{/etc/passwd}
\subsection*{Part}
End.
\end{document}
never read
"""
RTF = rb"""{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fnil Arial;}{\f1\fcharset204 Arial;}}{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s5 Title;}}
{\info{\title My doc}{\author Ann Poe}{\creatim\yr2024\mo6\dy4\hr10}}
\pard\s5 The Title\par\pard\s1 Section \'e9\par\pard Plain with \u8364?uro and {\field{\*\fldinst{HYPERLINK "other.rtf"}}{\fldrslt a link}}.\par
{\pntext\f0 1.\tab}One item\par
\pard {\f1 \'cf\'f0\'e8}\par
\trowd\pard\intbl Name\cell Role\cell\row\trowd\pard\intbl Ann Poe\cell CEO\cell\row
\pard After {\v hidden}{\pict\wmetafile8\bin5 }}\{x}text.\par}"""
_NAMES = (
    " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "text", "table", "style", "meta")
    )
    + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)
ODT = f"""<?xml version="1.0"?><office:document-content {_NAMES}><office:automatic-styles><style:style style:name="P1" style:parent-style-name="Title"/><style:style style:name="P2" style:parent-style-name="Preformatted_20_Text"/></office:automatic-styles><office:body><office:text>
<text:p text:style-name="P1">The Title</text:p><text:h text:outline-level="2">Section</text:h><text:p>Some <text:span>styled</text:span> text<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note>, <text:a xlink:href="other.odt">a link</text:a>.</text:p>
<text:p text:style-name="P2">x = 1</text:p><text:p text:style-name="P2">y<text:s text:c="2"/>= 2</text:p>
<text:list><text:list-item><text:p>One</text:p><text:list><text:list-item><text:p>Sub</text:p></text:list-item></text:list></text:list-item></text:list>
<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>
<table:table><table:table-row><table:table-cell><text:p>Name</text:p></table:table-cell><table:table-cell><text:p>Role</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>Ann Poe</text:p></table:table-cell><table:table-cell><text:p>CEO</text:p></table:table-cell></table:table-row></table:table>
</office:text></office:body></office:document-content>"""
_META = f"<office:document-meta {_NAMES}><office:meta><dc:title>My doc</dc:title><meta:initial-creator>Ann Poe</meta:initial-creator><dc:date>2024-06-04</dc:date></office:meta></office:document-meta>"


def odt(content: str = ODT) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text", zipfile.ZIP_STORED)
        archive.writestr("content.xml", content)
        archive.writestr("meta.xml", _META)
    return file.getvalue()


def shape(document: ParsedDocument) -> list[tuple[str, object]]:
    """Headings with their levels, other blocks with what is read of them."""
    text = document.text or ""
    found: list[tuple[str, object]] = []
    for block in document_blocks(document):
        if block.kind == "heading":
            found.append((block.title, block.level))
        elif block.leaves:
            found.append((block.kind, [" ".join(text[leaf.start : leaf.end].split()) for leaf in block.leaves]))
    return found


@pytest.mark.parametrize(
    ("source", "name", "expected"),
    [
        (RST, "a.rst", [
            ("Title", 1), ("list", [":Author: Ann Poe", ":Date: 2024-06-04"]),
            ("paragraph", ["Intro *para* by :ref:`Bob <bob>` in two lines, see :doc:`guide/start` and `the list <list.rst>`_ or `a site <https://x.org>`_."]),
            ("Section A", 2), ("definitions", ["Term", "What it is. And more."]), ("list", ["- one", "- two", "more of two"]),
            ("paragraph", ["Code follows::"]), ("code", ["def x(): # not read"]), ("code", [".. code-block:: python :linenos: Heading -------"]),
            ("paragraph", ["Be careful here."]), ("definitions", ["Ledger", "A book."]), ("Sub", 3),
            ("table", ["+---+---+", "| a | b |", "+===+===+", "| 1 | 2 |", "+---+---+"]), ("Section B", 2), ("paragraph", ["End."]),
        ]),
        (ORG, "a.org", [
            ("paragraph", ["Intro [[file:other.org::*Sec][the other]] and [[id:77-f][one]] and [[https://x.org][web]]."]),
            ("First thing", 1), ("definitions", ["Ledger", "A book. It is old.", "plain item"]),
            ("code", ["#+begin_src python * not a heading [[no.org]] #+end_src"]),
            ("table", ["| Name | Boss |", "|------+------|", "| Ann Poe | Bob Ray |"]),
            ("2023-07-10", 2), ("list", ["one"]), ("code", [": literal"]), ("Last", 1), ("paragraph", ["Said."]),
        ]),
        (ADOC, "a.adoc", [
            ("Doc Title", 1), ("html", ["Ann Poe <a@x.org>", "v1.0, 2024-06-04", ":keywords: a, b"]),
            ("paragraph", ["Preamble xref:other.adoc#x[Other], <<part.adoc#y,Part>> and https://x.org[a site]."]),
            ("Section", 2), ("definitions", ["Ledger", "A book.", "Quorum", "Enough of them."]), ("list", ["item", "sub goes on"]),
            ("code", ["---- == no heading xref:no.adoc[no] ----"]), ("table", ["|===", "|a |b", "|==="]), ("paragraph", ["Inside an example."]),
            ("Sub", 3), ("list", ["first"]),
        ]),
        (TEX, "a.tex", [
            ("On Things & more", 1), ("Intro", 2), ("paragraph", ["Gödel — with bold, [a link](other.html)."]), ("list", ["- One", "- Two"]),
            ("definitions", ["Ledger", "A book."]), ("table", ["| Name | Role |", "| --- | --- |", "| Ann Poe | CEO |"]),
            ("code", ["``` \\section{no} ```"]), ("Part", 3), ("paragraph", ["End."]),
        ]),
        (RTF, "a.rtf", [
            ("The Title", 1), ("Section é", 1), ("paragraph", ["Plain with €uro and [a link](other.rtf)."]), ("list", ["- One item"]),
            ("paragraph", ["При"]), ("table", ["| Name | Role |", "| --- | --- |", "| Ann Poe | CEO |"]), ("paragraph", ["After text."]),
        ]),
        (odt(), "a.odt", [
            ("The Title", 1), ("Section", 2), ("paragraph", ["Some styled text, [a link](other.odt)."]), ("code", ["``` x = 1 y = 2 ```"]),
            ("list", ["- One", "- Sub"]), ("table", ["| Name | Role |", "| --- | --- |", "| Ann Poe | CEO |"]), ("list", ["- A note."]),
        ]),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 9 else "",
)  # fmt: skip
def test_structure(source: str | bytes, name: str, expected: list[tuple[str, object]]) -> None:
    data = source.encode() if isinstance(source, str) else source
    document = parse_document(data, name)
    assert shape(document) == expected
    headings = [(title, level) for title, level in expected if isinstance(level, int)]
    assert [(one.title, one.level) for one in document.outline] == headings
    lines = (document.text or "").split("\n")
    assert all(one.title[:4] in lines[one.line - 1] for one in document.outline if name.endswith((".adoc", ".org")))
    assert "root:" not in (document.text or "") and document.unread == "" and not document.notes
    if name.endswith((".rst", ".org", ".adoc")):
        assert document.text_is_content and (document.text or "").encode() == data


@pytest.mark.parametrize(
    ("source", "name", "title", "date", "author", "tags"),
    [
        (RST, "a.rst", "Title", "2024-06-04", "Ann Poe", []),
        (ORG, "a.org", "My notes", "2024-06-04", None, ["a", "b"]),
        (ADOC, "a.adoc", "Doc Title", "2024-06-04", "Ann Poe", ["a", "b"]),
        (TEX, "a.tex", "On Things & more", "2024-06-04", "Ann Poe, Bob Ray", []),
        (RTF, "a.rtf", "My doc", "2024-06-04", "Ann Poe", []),
        (RTF, "a.txt", "My doc", "2024-06-04", "Ann Poe", []),
        (odt(), "a.odt", "My doc", "2024-06-04", "Ann Poe", []),
        (odt(), "nameless", "My doc", "2024-06-04", "Ann Poe", []),
        (ODT, "a.fodt", "The Title", None, None, []),
        ("* Only one\n** Sub\n", "a.org", "Only one", None, None, []),
        ("* One\n* Two\n", "notes.org", "notes", None, None, []),
    ],
    ids=range(11),
)  # fmt: skip
def test_what_files_say_of_themselves(
    source: str | bytes, name: str, title: str, date: str | None, author: str | None, tags: list[str]
) -> None:
    document = parse_document(source.encode() if isinstance(source, str) else source, name)
    assert (document.title, document.date, document.front_matter.get("author"), document.tags) == (
        title,
        date,
        author,
        tags,
    )


@pytest.mark.parametrize(
    ("source", "name", "links"),
    [
        (RST, "a.rst", [("guide/start", ""), ("list.rst", "the list")]),
        (ORG, "a.org", [("other.org", "the other"), ("77-f", "one")]),
        (ADOC, "a.adoc", [("other.adoc", "Other"), ("part.adoc", "Part")]),
        (TEX, "a.tex", [("other.html", "a link")]),
        (RTF, "a.rtf", [("other.rtf", "a link")]),
        (odt(), "a.odt", [("other.odt", "a link")]),
    ],
    ids=range(6),
)
def test_links(source: str | bytes, name: str, links: list[tuple[str, str]]) -> None:
    document = parse_document(source.encode() if isinstance(source, str) else source, name)
    assert [(link.target, link.label) for link in document_links(document)] == links


def test_terms_and_records() -> None:
    for source, name in ((RST, "a.rst"), (ORG, "a.org"), (ADOC, "a.adoc"), (TEX, "a.tex")):
        document = parse_document(source.encode(), name)
        terms = {term.name: term.definition for term in document.terms if not term.kind}
        assert terms["Ledger"].startswith("A book.")
    assert ("Ann Poe", "person") in {
        (term.name, term.kind) for term in parse_document(ORG.replace("Boss", "Reports to").encode(), "a.org").terms
    }


@pytest.mark.parametrize(
    ("data", "name", "says"),
    [
        (b"nothing", "a.rtf", "It is broken or not of the format that its name says; kept as a file."),
        (odt()[:300], "a.odt", "It is broken or not of the format that its name says; kept as a file."),
        (odt("<broken"), "a.odt", "It is broken or not of the format that its name says; kept as a file."),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.odt", "It is in an old Office format; kept as a file."),
        (odt("<a>" + "x" * 90_000_000 + "</a>"), "bomb.odt", "It unpacks to"),
    ],
    ids=range(5),
)
def test_bad_files_say_why(data: bytes, name: str, says: str) -> None:
    document = parse_document(data, name, config=Config(max_unpacked_bytes=50_000_000))
    assert document.text is None and document.unread.startswith(says)


def test_a_file_that_is_cut_short_is_read_as_far_as_it_goes() -> None:
    document = parse_document(RTF[:560], "a.rtf")
    assert "Plain with €uro" in (document.text or "") and document.notes == [
        "It is cut short: what there is of it was read."
    ]
    assert "One" in (parse_document(TEX[: TEX.index("Two")].encode(), "a.tex").text or "")


def test_an_entity_of_xml_reads_no_file() -> None:
    source = ODT.replace(
        '<?xml version="1.0"?>', '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    )
    document = parse_document(odt(source.replace("Some ", "Some &e; ")), "a.odt")
    assert "root:" not in (document.text or "")


@given(
    st.lists(st.sampled_from(
        ["Title", "=====", "-----", "~~~", ".. note::", "   deep", "\tx", "", "::", "* a", "- b :: c", "#+begin_src", "#+end_src", "|===", "----",
         "====", "a:: b", "+", ":x: y", ":END:", ":PROPERTIES:", "| a |", "+--+--+", "== ==", "\\begin{itemize}", "\\item x", "\\end{document}",
         "{\\rtf1", "}", "\\par", "\\u12", "\\'e", "\\bin99 ", "\\section{", "[[a][b]]", "é", "\\begin{tabular}", "& \\\\", ".. glossary::", "  - x", ">>> x"]
    ), max_size=30),
    st.sampled_from(["a.rst", "a.org", "a.adoc", "a.tex", "a.rtf"]),
)  # fmt: skip
@settings(max_examples=500, deadline=None)
def test_no_source_is_too_odd(lines: list[str], name: str) -> None:
    data = (("{\\rtf1 " if name == "a.rtf" else "") + "\n".join(lines)).encode()
    document = parse_document(data, name)
    text = document.text or ""
    assert "".join(piece.text for piece in document.chunks) == text
    blocks = document_blocks(document)
    assert "".join(text[block.start : block.end] for block in blocks) == text
    for block in blocks:
        assert all(block.start <= leaf.start <= leaf.end <= block.end for leaf in block.leaves)
        assert all(block.start < cut < block.end for cut in block.cuts) and block.cuts == sorted(block.cuts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("piece", "name"),
    [
        ("Title\n=====\n\nSome words of a paragraph.\n\n- a\n- b\n\n", "a.rst"),
        (".. note::\n\n   x\n\n", "a.rst"),
        ("* A\n- b :: c\n", "a.org"),
        ("#+begin_quote\n", "a.org"),
        (":PROPERTIES:\n", "a.org"),
        ("== A\n\na:: b\n\n", "a.adoc"),
        ("----------\n", "a.adoc"),
        ("=" * 4 + "\n" + "*" * 4 + "\n", "a.adoc"),
        ("\\begin{itemize}\\item x\n", "a.tex"),
        ("\\section{", "a.tex"),
        ("{{{", "a.tex"),
        ("{\\b x", "a.rtf"),
        ("\\trowd\\intbl x\\cell\\row ", "a.rtf"),
    ],
    ids=range(13),
)
def test_time_grows_with_length(piece: str, name: str) -> None:
    """300 kB of anything take seconds, however its parts are nested or left open."""
    data = (("{\\rtf1 " if name == "a.rtf" else "") + piece * (300_000 // len(piece))).encode()
    began = time.process_time()
    parse_document(data, name)
    assert time.process_time() - began < 20


SITE_MARKS = """\
The data<br>set has many rows of patients.

!!! warning
    It can only be used together with its owners, who are asked first.

!!! note "What is it?"

    Federation is the ability to write code only once.

        code

    ```sh
    !!! kept
    ```

> [!NOTE]
> Readers should know this, even when skimming through.

:::tip
A tip that helps everybody a lot. {{< ref >}}
:::

{% include "x.md" %}

- an item

    ??? info
        A note in an item stands deeper than the others do.

**Mac users**

They cannot run the client at all, as things are. {: .small }

**This is said loudly.**

Another sentence stands at the end of all this.
"""


@pytest.mark.parametrize(
    ("head", "body", "text"),
    [
        (
            '<title>Lamps</title><meta http-equiv="refresh" content="0; url=new.html">',
            "",
            "Redirects to [Lamps](new.html).",
        ),
        (
            "<meta http-equiv=Refresh content=\"0;URL='/a/b/'\">",
            "<p>Go <a href='/a/b/'>on</a>.",
            "Redirects to [/a/b/](/a/b/).",
        ),
        ('<meta http-equiv="refresh" content="300">', "<p>The board.", "The board."),
        ('<meta http-equiv="refresh" content="5; url=b.html">', f"<p>{'Long. ' * 99}", ("Long. " * 99).strip()),
    ],
)
def test_a_page_that_leads_on(head: str, body: str, text: str) -> None:
    source = f"<html><head>{head}</head><body>{body}</body></html>"
    assert parse_document(source.encode(), "a.html").text.strip() == text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_of_sites_are_no_text(end: str) -> None:
    """What a site's generator makes of a line is not read, and what stands beneath it is text; nothing is changed."""
    source = SITE_MARKS.replace("\n", end)
    document = parse_document(source.encode(), "x.md")
    assert document.text == source and "".join(chunk.text for chunk in document.chunks) == source
    assert document.description == "The data set has many rows of patients."
    blocks = document_blocks(document)
    assert "".join(source[block.start : block.end] for block in blocks) == source
    read = " ".join(running_sentences(source, blocks))
    for marks in ("!!!", "???", ":::", "[!", "{%", "{{", "{:", "<br", "kept", "code\n"):
        assert marks not in read
    for said in ("asked first.", "only once.", "when skimming", "A tip that", "others do.", "cannot run"):
        assert said in read
    headings = [(block.title, block.level) for block in blocks if block.kind == "heading"]
    assert headings == [("Mac users", 3)]


@pytest.mark.parametrize(
    ("source", "headings"),
    [
        ("# A\n\n## B\n\n**C**\n\ntext\n\n__D:__\n\ntext\n", [("A", 1), ("B", 2), ("C", 3), ("D", 3)]),
        ("**1. [Apply it](x.md)**\n\ntext\n", [("1. Apply it", 3)]),
        ("**Last**\n", []),
        ("**Before**\n\n# Another\n", [("Another", 1)]),
        ("**A** and **B**\n\ntext\n", []),
        ("**Term**\n: what it is\n\n**Other**\n\n: what it is\n", []),
        (f"**{'long ' * 30}**\n\ntext\n", []),
    ],
)
def test_a_bold_line_is_a_heading(source: str, headings: list[tuple[str, int]]) -> None:
    blocks = document_blocks(parse_document(source.encode(), "x.md"))
    assert [(block.title, block.level) for block in blocks if block.kind == "heading"] == headings


def test_imports_and_components_of_mdx_are_no_text() -> None:
    text = (
        "import {Lamp, Wick} from '@lamps/all';\nimport Oil from \"oil\";\n\nText comes from there.\n\n<Lamps of={[\n  {\n"
        "    name: \"Ann\",\n\n    role: \"Keeper\" },\n]} />\nBehind it.\n\n<Never closed\n\nstays text.\n"
    )  # fmt: skip
    document = parse_document(text.encode(), "a.mdx")
    said = [unit.content.text for unit in document_units(document) if unit.kind == "sentence"]
    assert said[:2] == ["Text comes from there.", "Behind it."]
    assert "stays text." in said[-1]
    assert not any("Keeper" in one or "import" in one for one in said)
