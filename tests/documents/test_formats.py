"""Bytes to documents: formats, bad input, titles, dates, descriptions, and texts that are exactly the bytes."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.config import Config
from kgfs.documents.formats.parsing import document_blocks, parse_document
from kgfs.model import ParsedDocument

DAY = 1_571_000_000_000_000_000  # 2019-10-13


def one(data: bytes | str, name: str = "note.md", **options: object) -> ParsedDocument:
    data = data.encode() if isinstance(data, str) else data
    return parse_document(data, name, **options)  # type: ignore[arg-type]


@given(
    st.binary(max_size=300) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from(
        ["a.md", "a.txt", "a.html", "a.csv", "a.json", "a.bin", "a", ".x", "a.png", "\udcff.md", "2019.md"]
    ),
)
@settings(max_examples=300, deadline=None)
def test_no_input_is_too_odd(data: bytes, name: str) -> None:
    document = parse_document(data, name, mtime_ns=DAY)
    msgspec.msgpack.decode(msgspec.msgpack.encode(document), type=ParsedDocument)
    json.dumps(document.front_matter)
    assert document.title
    if document.text is None:
        assert not document.chunks
        return
    assert "".join(piece.text for piece in document.chunks) == document.text
    assert "\0" not in document.text
    if document.text_is_content:
        assert document.text.encode() == data
    blocks = document_blocks(document)
    assert "".join(document.text[block.start : block.end] for block in blocks) == document.text
    assert len(document.summary) <= 1000


@pytest.mark.parametrize(
    ("data", "name", "mime"),
    [
        (b"# Hi\n", "a.md", "text/markdown"),
        (b"hi\n", "a.txt", "text/plain"),
        (b"hi\n", "README", "text/plain"),
        (b"a,b\n", "a.csv", "text/csv"),
        (b"a\tb\n", "a.tsv", "text/tab-separated-values"),
        (b"{}", "a.json", "application/json"),
        (b"<p>x</p>", "a.html", "text/html"),
        (b"<!DOCTYPE html><p>x</p>", "page", "text/html"),
        (b"print(1)\n", "a.py", "text/x-python"),
        (b"a: 1\n", "a.yaml", "application/yaml"),
    ],
)
def test_texts(data: bytes, name: str, mime: str) -> None:
    document = parse_document(data, name)
    assert document.mime_type == mime
    assert document.text is not None


@pytest.mark.parametrize(
    ("data", "name", "mime"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "a.png", "image/png"),
        (b"\x89PNG\r\n\x1a\n" + b"abc", "a", "image/png"),
        (b"%PDF-1.7\nabc", "a.txt", "application/pdf"),
        (b"PK\x03\x04abc", "a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (b"text\0with nul", "a.txt", "application/octet-stream"),
        (b"text\0with nul", "a.md", "application/octet-stream"),
        (bytes(range(1, 32)) * 20, "a", "application/octet-stream"),
        (bytes(range(128, 256)) * 20, "a", "application/octet-stream"),
        (b"looks like text", "a.jpg", "image/jpeg"),
    ],
)
def test_binaries_have_no_text(data: bytes, name: str, mime: str) -> None:
    document = parse_document(data, name, mtime_ns=DAY)
    assert (document.text, document.chunks, document.mime_type) == (None, [], mime)
    assert (document.title, document.date) == (name.split(".")[0], "2019-10-13")


def test_an_empty_file_is_an_empty_text() -> None:
    for name in ("a.md", "a.txt", "a.html", "a.csv", "a"):
        document = one(b"", name)
        assert (document.text, document.chunks, document.title) == ("", [], "a")


@pytest.mark.parametrize("text", ["# A\r\n\r\nb\r\n", "\ufeff# A\n", "a\rb\r", "x\x0cy\n", "no newline at the end"])
def test_texts_are_exactly_the_bytes(text: str) -> None:
    document = one(text)
    assert document.text == text
    assert document.text_is_content


def test_a_byte_order_mark_hides_no_title() -> None:
    assert one("\ufeff# Title\n").title == "Title"
    assert one("\ufeff---\ntitle: Named\n---\nx\n").title == "Named"


RUSSIAN = "Президент сказал, что заработная плата в округе выросла. Правительство сообщило об этом вечером.\n"
JAPANESE = "大統領は、地区の賃金が緩やかに上昇したと述べた。政府は昨夜それを発表した。カタカナとひらがな。\n"
ENCODED = {
    "windows-1252": "Der Präsident sagte, die Löhne seien im Bezirk größer geworden. «C’est déjà l’été», répondit-il.\n",
    "iso8859-1": "Les salaires ont augmenté dans la région à la fin de l'été; la presse l'a déjà annoncé à Genève.\n",
    "windows-1250": "Prezydent powiedział, że płace w okręgu wzrosły. Rząd ogłosił to wczoraj wieczorem, źdźbło.\n",
    "windows-1251": RUSSIAN,
    "koi8-r": RUSSIAN,
    "windows-1253": "Ο πρόεδρος είπε ότι οι μισθοί στην περιοχή αυξήθηκαν. Η κυβέρνηση το ανακοίνωσε χθες.\n",
    "windows-1255": "הנשיא אמר כי השכר במחוז עלה במידה מתונה. הממשלה הודיעה על כך אתמול בערב.\n",
    "windows-1256": "قال الرئيس إن الأجور في المنطقة ارتفعت بشكل متواضع. وأعلنت الحكومة ذلك مساء أمس.\n",
    "shift_jis": JAPANESE,
    "euc-jp": JAPANESE,
    "gb18030": "总统说，该地区的工资略有增长。政府昨晚宣布了这一消息。我们认为这很重要。\n",
    "big5": "總統說，該地區的工資略有增長。政府昨晚宣布了這一消息。我們認為這很重要。\n",
    "euc-kr": "대통령은 이 지역의 임금이 완만하게 상승했다고 말했다. 정부는 어젯밤 이를 발표했다.\n",
}


@pytest.mark.parametrize("times", [1, 10, 3000])
@pytest.mark.parametrize("codec", ENCODED)
def test_encodings_of_many_scripts_are_found_out(codec: str, times: int) -> None:
    text = ENCODED[codec] * times
    document = one(text.encode(codec), "a.txt")
    assert document.text == text
    assert not document.text_is_content
    assert document.notes[0].startswith("The file is not UTF-8; it was read as ")


@pytest.mark.parametrize("text", [RUSSIAN, JAPANESE, *ENCODED.values()])
def test_scripts_and_directions_in_utf8(text: str) -> None:
    document = one(f"# {text}\n{text * 40}", "a.md")
    assert document.text_is_content
    assert document.title == text.strip()
    assert "".join(chunk.text for chunk in document.chunks) == document.text
    assert len(document.chunks) > 1


def test_places_of_another_encoding_in_utf8() -> None:
    body = "Löhne stiegen — «été». ".encode() * 3 + b"caf\xe9 \x93quoted\x94 " + "größer\n".encode()
    document = one(body, "a.txt")
    assert document.text == "Löhne stiegen — «été». " * 3 + "café “quoted” größer\n"
    assert not document.text_is_content
    assert document.notes == ["The file is not valid UTF-8; 3 places were read as windows-1252."]


def test_a_single_odd_byte() -> None:
    document = one(b"caf\xe9 and more words\n")
    assert document.text == "café and more words\n"
    assert document.notes == ["The file is not UTF-8; it was read as windows-1252."]


def test_a_late_nul_is_replaced_and_told() -> None:
    document = one(b"word " * 3000 + b"\0 end", "a.txt")
    assert document.text is not None and document.text.endswith("\ufffd end")
    assert not document.text_is_content
    assert "NUL" in document.notes[0]


@pytest.mark.parametrize("codec", ["utf-16", "utf-32"])
def test_wide_encodings_are_read_by_their_mark(codec: str) -> None:
    document = one("# Grüße\n\nText.\n".encode(codec))
    assert document.title == "Grüße"
    assert not document.text_is_content
    assert len(document.notes) == 1


def test_large_text_is_kept_but_not_chunked() -> None:
    document = one("---\ntitle: Big\n---\n" + "words " * 100, config=Config(max_text_bytes=100))
    assert document.text and not document.chunks
    assert document.title == "Big"
    assert "larger than 100 bytes" in document.notes[0]


@pytest.mark.parametrize(
    ("matter", "note"),
    [
        ("title: [unclosed", "is not YAML"),
        ("a: b: c", "is not YAML"),
        ("\tx: 1", "is not YAML"),
        ("- a: 1\n- b: 2", "is not a list of `key: value`"),
        ("a: &a [x, x]\nb: &b [*a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c]\n"
         "e: &e [*d, *d, *d, *d, *d, *d]\nf: [*e, *e, *e, *e, *e, *e]", "is too large"),
        ("a: &a\n  b: *a", "nests too deep"),
        ("date: 2019-13-45", "is not YAML"),
        ("x: !!python/object/apply:os.system ['true']", "is not YAML"),
    ],
)  # fmt: skip
def test_front_matter_that_cannot_be_read_stays_text(matter: str, note: str) -> None:
    text = f"---\n{matter}\n---\n# Title\n\nBody.\n"
    document = one(text)
    assert document.front_matter == {}
    assert document.text == text
    assert len(document.notes) == 1
    assert note in document.notes[0]
    assert document.title == "Title"


@pytest.mark.parametrize("text", ["---\n\nJust a rule\n\n---\n\nx\n", "---\nno end\n", "--- \n", "----\na: 1\n----\n"])
def test_rules_are_no_front_matter(text: str) -> None:
    document = one(text)
    assert (document.front_matter, document.notes, document.text) == ({}, [], text)


def test_front_matter_becomes_plain_values() -> None:
    document = one(
        "---\ntitle: 2019\ndate: 2019-10-30\n1: x\nn: .nan\nt: 10:30:00\nb: !!binary aGk=\ns: !!set {a}\n---\n"
    )
    assert document.title == "2019"
    assert document.date == "2019-10-30"
    assert document.front_matter["1"] == "x"
    json.dumps(document.front_matter)


def test_toml_front_matter() -> None:
    document = one('+++\ntitle = "T"\ndate = 2019-10-30\ntags = ["a", "b"]\n+++\n\nBody.\n')
    assert (document.title, document.date, document.tags) == ("T", "2019-10-30", ["a", "b"])


@pytest.mark.parametrize(
    ("matter", "tags"),
    [
        ("tags: [a, b/c, '#d']", ["a", "b/c", "d"]),
        ("tags: a b", ["a", "b"]),
        ("tags: a b, c", ["a b", "c"]),
        ("keywords: sick leave, sick", ["sick leave", "sick"]),
        ("tags:\n  - 2019\n  - null\n  - {a: 1}", ["2019"]),
        ("tags:", []),
        ("tags: true", []),
    ],
)
def test_tags(matter: str, tags: list[str]) -> None:
    assert one(f"---\n{matter}\n---\nx\n").tags == tags


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ("---\ntitle: Named\n---\n# Heading\n", "a.md", "Named"),
        ("---\ndisplay_name: Named\n---\n# Heading\n", "a.md", "Named"),
        ("---\nName: Named\n---\ntext\n", "index.md", "Named"),
        ("---\nname: Named\n---\n# Heading\n", "a.md", "Heading"),
        ("# The *Heading* of [[Alphabet Inc.|Google]] #\n", "a.md", "The Heading of Google"),
        ("Setext\n======\n", "a.md", "Setext"),
        ("## Second level only\n", "a.md", "a"),
        ("[![build](b.svg)](b)\n\nA lamp that shines.\n\n# Lampd\n\nText.\n", "README.md", "Lampd"),
        ("These texts govern the Lamp Fund.\n\n# Fund\n\nText.\n\n# Community\n\nText.\n", "README.md", "README"),
        ("Text.\n\n## Calendar\n\nText.\n\n# Conventions of groups\n\nText.\n", "GROUPS.md", "GROUPS"),
        ("Text.\n\n" + "- item\n" * 8 + "\n# Leadership\n\nText.\n", "ROLES.md", "ROLES"),
        ("-------\nname: Ann Lee\ninfo:\n  - employer: Acme\n-------\n\nText.\n", "candidate-al.md", "Ann Lee"),
        ("-------\nSome: text\n-------\n\nText.\n", "a.md", "a"),
        ("```\n# not a heading\n```\n", "a.md", "a"),
        ("", "2019-10-30 meeting.md", "2019-10-30 meeting"),
        ("", ".profile", ".profile"),
        ("---\ntitle:\n---\n# H\n", "a.md", "H"),
        ("---\ntitle: [a]\n---\n# H\n", "a.md", "H"),
        ("# line\u2028break\ttab\n", "a.md", "line break tab"),
        ("NOTES ON TIME\nwritten down\n\nMore text here.\n", "a.txt", "NOTES ON TIME"),
        ("Just a sentence that ends.\n\nMore text here.\n", "a.txt", "a"),
        ("<title> The\n page </title><h1>Other</h1>", "a.html", "The page"),
        ("<h1>Other</h1>", "a.html", "Other"),
        ("---\ntitle: Lamp policy\n---\n<h1>Lamp Makers</h1>", "a.html", "Lamp policy"),
        ("---\nlayout: page\n---\n<h1>Lamp Makers</h1>", "a.html", "Lamp Makers"),
    ],
)
def test_titles(text: str, name: str, title: str) -> None:
    assert one(text, name).title == title


@pytest.mark.parametrize(
    ("text", "name", "date"),
    [
        ("---\ndate: 2020-01-02\n---\n", "2019-10.md", "2020-01-02"),
        ("---\ndate: soon\n---\n", "2019-10.md", "2019-10"),
        ("---\nms.date: 12/08/2025\n---\n", "a.md", "2025-12-08"),
        ("# Book: October 2019\n", "a.md", "2019-10"),
        ("# Book: October 2019\n", "2018_05.md", "2018-05"),
        ("# Book\n", "a.md", "2019-10-13"),
        ("<meta name=date content='2021-01-15'><p>x", "a.html", "2021-01-15"),
        ("<time datetime='2021-02-03T04:05:06Z'>x</time>", "a.html", "2021-02-03T04:05:06Z"),
    ],
)
def test_dates(text: str, name: str, date: str) -> None:
    assert one(text, name, mtime_ns=DAY).date == date


def test_description_and_summary_are_sentences_of_the_text() -> None:
    text = (
        "# Wages\n\nWages in **Boston** rose by 3 percent in [October](x.md). Employers said that wages would rise again.\n"
        "\n| a | b |\n|---|---|\n| table text that is | no sentence. |\n\n```\ncode that is no sentence either.\n```\n\n"
        "Nothing else was reported about the wages of Boston in the month.\n"
    )
    document = one(text)
    assert document.description == "Wages in Boston rose by 3 percent in October."
    for part in document.summary.replace(". ", ".\n").split("\n"):
        assert part in text.replace("**", "").replace("[October](x.md)", "October")
    assert "table" not in document.summary and "code" not in document.summary


def test_a_description_in_front_matter_wins() -> None:
    document = one("---\ndescription: What it is.\n---\nA first sentence that stands in the text of it.\n")
    assert document.description == "What it is."
    assert document.summary.startswith("What it is. A first sentence")


HTML = """<!DOCTYPE html><html><head><title>T &amp; U</title><meta name="description" content="D">
<meta name="keywords" content="a, b"><style>p {}</style><script>alert("no")</script></head>
<body><nav><a href="x.html">menu</a></nav><h1>Head</h1><p>One <b>two</b>
three&nbsp;four<br>five. <a href="next page.html">bad</a> <a href="b.html#c">Next</a> <a href="https://x.y/">web</a></p>
<ul><li>first<li>second<ul><li>deep</ul></ul><ol><li>one</li><li>two</li></ol>
<table><tr><th>A</th><th>B|C</th></tr><tr><td>1</td><td><p>2</p><p>3</p></td></tr></table>
<pre>  keep
   this</pre><!-- hidden --><div>last<div>inner</div></div><template>no</template></body></html>"""


def test_html_is_readable_text() -> None:
    document = one(HTML, "a.html")
    assert (document.title, document.description, document.tags) == ("T & U", "D", ["a", "b"])
    assert not document.text_is_content
    assert document.text == (
        "# Head\n\nOne two three four\n\nfive. bad [Next](b.html#c) web\n\n- first\n- second\n  - deep\n1. one\n2. two\n\n"
        "| A | B/C |\n| --- | --- |\n| 1 | 2 3 |\n\n```\n  keep\n   this\n```\n\nlast\n\ninner\n"
    )


@pytest.mark.parametrize(
    "html", ["<p>" * 5000 + "deep", "<table><tr><td>a<table><tr><td>b", "<", "<a href=x>", "</p></p>"]
)
def test_broken_html_is_read(html: str) -> None:
    document = one(html, "a.html")
    assert document.text is not None


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20000,
        "*" * 20000,
        "> " * 5000 + "x",
        "- " * 5000 + "x",
        "`" * 20000,
        "<" * 20000,
        "|" * 20000,
        "![[" * 5000,
    ],
)
def test_markup_that_never_ends_takes_no_time(text: str) -> None:
    document = one(text + "\n\nA sentence to describe it all with.\n")
    assert "".join(piece.text for piece in document.chunks) == document.text


def test_front_matter_of_a_page_is_no_text_of_it() -> None:
    text = "---\ntitle: Lamp policy\ndate: 2021-01-15\ntags: [wicks]\n---\n<h1>Lamp Makers</h1><p>It burns."
    document = parse_document(text.encode(), "a.html")
    assert (document.date, document.tags, document.front_matter["title"]) == ("2021-01-15", ["wicks"], "Lamp policy")
    assert "title:" not in (document.text or "")
