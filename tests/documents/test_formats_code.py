"""Source code, notebooks and tables: chunks at definitions, what describes a file, and input of any shape."""

# Documents and what is read from them stand as they are written.
# ruff: noqa: E501

from __future__ import annotations

import json

import nbformat.v4 as nb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.config import Config
from kgfs.documents.formats.code import GRAMMARS
from kgfs.documents.formats.parsing import document_blocks, parse_document
from kgfs.documents.formats.registry import BY_SUFFIX, FORMATS
from kgfs.model import ParsedDocument
from tests.documents.made_files import SCRIPTS, notebook


def checked(document: ParsedDocument) -> ParsedDocument:
    assert document.text is not None, document.unread
    assert "".join(piece.text for piece in document.chunks) == document.text
    assert "".join(document.text[b.start : b.end] for b in document_blocks(document)) == document.text
    return document


def definitions(document: ParsedDocument) -> list[tuple[int, str]]:
    return [(b.level, b.title) for b in document_blocks(document) if b.kind == "heading" and b.title]


CODE = {
    "a.py": ("class A:\n    x = 1\n\n    @property\n    def go(self):\n        def inner(): pass\n\n\nasync def run():\n    pass\n",
             [(1, "`A`"), (2, "go()"), (1, "run()")]),
    "a.js": ("export class A {\n  go() {}\n}\nexport const f = async (x) => {\n  return x\n}\nfunction g() {}\n",
             [(1, "`A`"), (2, "go()"), (1, "f()"), (1, "g()")]),
    "a.ts": ("export interface I {\n  x: number\n}\nabstract class A {\n  go(): void {}\n}\nenum E {\n  A\n}\n",
             [(1, "`I`"), (1, "`A`"), (2, "go()"), (1, "`E`")]),
    "a.tsx": ("export function App() {\n  return <p>hi</p>\n}\n", [(1, "App()")]),
    "A.java": ("package a;\n/** Doc. */\n@X\npublic class A {\n  A() {}\n  enum K {\n A }\n  int go() { return 1; }\n}\n",
               [(1, "`A`"), (2, "A()"), (2, "`K`"), (2, "go()")]),
    "a.c": ("#include <x.h>\n#ifdef Y\nstruct P {\n  int x;\n};\n#endif\nstatic char *name(struct P *p)\n{\n  return 0;\n}\n",
            [(1, "`P`"), (1, "name()")]),
    "a.cpp": ("namespace n {\ntemplate <class T>\nclass V {\n  void push(T t) {\n  }\n};\nint V<int>::size() {\n return 1;\n}\n}\n",
              [(1, "`V`"), (2, "push()"), (1, "V<int>::size()")]),
    "a.cs": ("namespace A {\n  class F {\n    public int Go() { return 1; }\n  }\n}\n", [(1, "`F`"), (2, "Go()")]),
    "a.go": ("package a\n\n// C is round.\ntype C struct {\n\tR int\n}\n\ntype Same = int\n\nfunc (c *C) Area() int {\n\treturn 1\n}\n",
             [(1, "`C`"), (1, "Area()")]),
    "a.rs": ("pub struct S {\n a: u8 }\nimpl S {\n  pub fn new() -> S {\n S { a: 1 } }\n}\nmod m {\n  fn deep() {}\n}\n",
             [(1, "`S`"), (1, "`S`"), (2, "new()"), (1, "`m`"), (2, "deep()")]),
    "a.rb": ("module M\n  class A < B\n    def go(x)\n      x\n    end\n  end\nend\n", [(1, "`M`"), (2, "`A`"), (3, "go()")]),
    "a.php": ("<?php\nnamespace A {\n  class G {\n    function x() {}\n  }\n}\n", [(1, "`G`"), (2, "x()")]),
    "a.sh": ("#!/bin/sh\nset -e\ngo() {\n  echo hi\n}\ngo\n", [(1, "go()")]),
}  # fmt: skip


@pytest.mark.parametrize("name", CODE)
def test_definitions(name: str) -> None:
    text, expected = CODE[name]
    document = checked(parse_document(text.encode(), name))
    assert definitions(document) == expected
    assert document.text_is_content and document.title == name


def test_every_grammar_is_tested_and_every_row_is_whole() -> None:
    tested = {parse_document(text.encode(), name).mime_type for name, (text, _) in CODE.items()}
    assert tested == set(GRAMMARS)
    assert len({row.mime_type for row in FORMATS}) == len(FORMATS)
    assert len(BY_SUFFIX) == sum(len(row.suffixes.split()) for row in FORMATS)
    for row in FORMATS:
        assert callable(row.reader())


def test_chunks_begin_at_definitions_and_know_where_they_stand() -> None:
    methods = "".join(
        f"    # About it {n}.\n    @cached\n    def method_{n}(self):\n" + "        work = call(1, 2, 3)\n" * 30
        for n in range(6)
    )
    text = f'"""Works on things.\n\nMore of it.\n"""\nimport os\n\n\nclass Worker:\n{methods}\n\nif __name__ == "__main__":\n    main()\n'
    document = checked(parse_document(text.encode(), "work.py"))
    assert document.description == "Works on things."
    inside = [piece for piece in document.chunks if piece.headings]
    assert len(inside) >= 6
    for piece in inside:
        assert piece.headings[0] == "`Worker`"
        if piece is not inside[0]:  # which begins with the few lines before the class
            assert piece.text.lstrip(" \n").startswith(("# About it", "work = call"))
    assert document.chunks[-1].headings == []


@pytest.mark.parametrize(
    ("text", "name", "description"),
    [
        (
            "// Copyright 2019 Ann. All rights reserved.\n\n// Draws shapes on a page.\nint x;\n",
            "a.c",
            "Draws shapes on a page.",
        ),
        (
            "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n'''Draws shapes\non a page.'''\n",
            "a.py",
            "Draws shapes on a page.",
        ),
        ("/**\n * Draws shapes on a page.\n * @param x\n */\nx()\n", "a.js", "Draws shapes on a page. @param x"),
        ("x = 1\n# not the head of the file\n", "a.py", ""),
        ("# one\n", "a.sh", ""),
        ("-- Tables of the store.\nSELECT 1;\n", "a.sql", "Tables of the store."),
    ],
)
def test_the_first_comment_describes(text: str, name: str, description: str) -> None:
    assert parse_document(text.encode(), name).description == description


def test_programs_without_suffix() -> None:
    assert parse_document(b"#!/usr/bin/env -S bash\ngo() {\n true\n}\n", "run").mime_type == "application/x-sh"
    assert parse_document(b"#!/usr/bin/python3\n", "run").mime_type == "text/x-python"
    assert parse_document(b"#!/opt/odd\nwords\n", "run").mime_type == "text/plain"


@pytest.mark.parametrize(
    "text",
    ["(" * 50_000, "def f():\n" + " " * 40_000, "{" * 30_000 + "}" * 30_000, "if (a) {" * 5000, '"' * 20_001, "class A:" * 8000,
     "\n" * 50_000, "x = [" + "1," * 100_000 + "]", "// " + "y " * 50_000],
)  # fmt: skip
@pytest.mark.parametrize("name", ["a.py", "a.js", "a.cpp", "a.rb", "a.kt"])
def test_no_shape_of_code_is_too_odd(text: str, name: str) -> None:
    checked(parse_document(text.encode(), name))


@given(st.sampled_from(sorted(CODE)), st.data())
@settings(max_examples=150, deadline=None)
def test_code_with_faults(name: str, data: st.DataObject) -> None:
    text = CODE[name][0]
    place = data.draw(st.integers(0, len(text)))
    change = data.draw(st.text("(){}<>:;\"'\n \t=äשé😀abdefclass", max_size=12))
    checked(
        parse_document(
            (text[:place] + change + text[place:]).encode(), name, config=Config(chunk_tokens_min=2, chunk_tokens_max=9)
        )
    )


def test_generated_code_is_cut_by_lines() -> None:
    text = "".join(f"const x{n} = [1, 2, 3];\n" for n in range(100_000))
    document = checked(parse_document(text.encode(), "a.js"))
    assert all(piece.text.endswith(";\n") for piece in document.chunks)


# --- notebooks -----------------------------------------------------------------------------------------------------


def test_a_notebook() -> None:
    code = nb.new_code_cell("x = 1\nprint(x)")
    code.outputs = [
        nb.new_output("stream", text="\x1b[31m1\x1b[0m\n"),
        nb.new_output("execute_result", data={"text/plain": "42", "image/png": "AAAA"}),
        nb.new_output("display_data", data={"text/plain": "<Figure size 640x480>"}),
        nb.new_output("error", ename="ValueError", evalue="no", traceback=["x"]),
    ]
    cells = [
        nb.new_markdown_cell("# Wages\n\nThey *rose*."),
        code,
        nb.new_raw_cell("raw # words"),
        nb.new_code_cell(""),
    ]
    text = notebook(
        cells, kernelspec={"name": "p", "display_name": "P", "language": "python"}, authors=[{"name": "Ann"}]
    )
    document = checked(parse_document(text.encode(), "a.ipynb"))
    assert document.text == (
        "# Wages\n\nThey *rose*.\n\n```python\nx = 1\nprint(x)\n```\n\n```\n1\n```\n\n```\n42\n```\n\n```\nValueError: no\n```\n\n"
        "raw # words\n"
    )
    assert (document.title, document.front_matter) == ("Wages", {"author": "Ann", "language": "python"})
    assert not document.text_is_content


def test_an_old_notebook() -> None:
    cells = [{"cell_type": "heading", "level": 1, "source": ["Old"], "metadata": {}},
             {"cell_type": "code", "language": "python", "input": ["x = 1"], "outputs": [], "collapsed": False, "metadata": {}}]  # fmt: skip
    old = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [{"cells": cells, "metadata": {}}],
    }
    assert parse_document(json.dumps(old).encode(), "a.ipynb").text == "# Old\n\n```\nx = 1\n```\n"


@pytest.mark.parametrize("text", SCRIPTS)
def test_notebooks_in_all_scripts(text: str) -> None:
    assert text in (parse_document(notebook([nb.new_markdown_cell(text)]).encode(), "a.ipynb").text or "")


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", "{", '{"nbformat": 4}', '{"nbformat": "x", "cells": 3}', "words", "[" * 100_000]
)
def test_what_is_no_notebook(text: str) -> None:
    document = parse_document(text.encode(), "a.ipynb")
    why = {"It is no Jupyter notebook; kept as a file.", "Its parts are nested too deep; kept as a file."}
    assert document.text == "" or document.unread in why


# --- tables --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "name", "description"),
    [
        ("year,district,rate\n2019,Boston,3.5\n", "a.csv", "Columns: year, district, rate."),
        ("\ufeffyear;district\n2019;Boston\n", "a.csv", "Columns: year, district."),
        ('"the year","a, b"\n1,2\n', "a.csv", "Columns: the year, a, b."),
        ("year\tdistrict\n2019\tBoston\n", "a.tsv", "Columns: year, district."),
        ("1,2,3\n4,5,6\n", "a.csv", ""),
        ("just words\n", "a.csv", ""),
        ('a,"b\nc\n' * 3, "a.csv", "Columns: a, b."),
        ('{"a": 1}\n', "a.jsonl", ""),
    ],
)
def test_columns_describe_a_table(data: str, name: str, description: str) -> None:
    document = checked(parse_document(data.encode(), name))
    assert document.text_is_content
    if "\nc" not in data:
        assert document.description == description


def test_a_large_table_is_chunked_at_rows_or_kept() -> None:
    rows = "id,name,value\n" + "".join(f"{n},name {n},{n / 7:.4f}\n" for n in range(60_000))
    document = checked(parse_document(rows.encode(), "a.csv"))
    assert all(piece.text.endswith("\n") for piece in document.chunks)
    kept = parse_document(rows.encode(), "a.csv", config=Config(max_text_bytes=1 << 20))
    assert (kept.text, kept.chunks, kept.text_is_content) == (rows, [], True)
