"""E-mail and mailboxes: headers, parts, encodings that lie, and messages that are none."""

# Documents and what is read from them stand as they are written.
# ruff: noqa: E501

from __future__ import annotations

from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.documents.formats.parsing import document_blocks, parse_document
from kgfs.model import ParsedDocument
from tests.documents.made_files import SCRIPTS, letter

DATE = "Wed, 16 Oct 2019 09:30:00 -0400"


def checked(document: ParsedDocument) -> ParsedDocument:
    assert document.text is not None, document.unread
    assert "".join(piece.text for piece in document.chunks) == document.text
    assert "".join(document.text[b.start : b.end] for b in document_blocks(document)) == document.text
    return document


def test_a_message() -> None:
    message = letter(
        "Wages rose.\n\n-- \nAnn\n", Subject="On wages", From="Ann <ann@example.org>", To="bob@example.org", Date=DATE
    )
    message.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="Löhne.pdf")
    document = checked(parse_document(bytes(message), "x.eml", mtime_ns=0))
    assert document.text == (
        f"# On wages\n\nFrom: Ann <ann@example.org>\nTo: bob@example.org\nDate: {DATE}\n\nWages rose.\n\n\\--\nAnn\n\n"
        "- Attached: Löhne.pdf\n"
    )
    assert (document.title, document.date) == ("On wages", "2019-10-16T13:30:00Z")
    assert document.front_matter["author"] == "Ann <ann@example.org>"


def test_of_two_forms_the_plain_one_is_read() -> None:
    message = letter("Plain words.\n", Subject="s")
    message.add_alternative("<p>HTML <b>words</b>.</p>", subtype="html")
    text = checked(parse_document(bytes(message), "x.eml")).text or ""
    assert "Plain words." in text and "HTML" not in text
    only = EmailMessage()
    only["Subject"] = "s"
    only.set_content("<h2>Head</h2><p>HTML <b>words</b>.</p><script>no</script>", subtype="html")
    assert (parse_document(bytes(only), "x.eml").text or "").endswith("## Head\n\nHTML words.\n")


def test_a_message_in_a_message() -> None:
    outer = letter("See below.\n", Subject="Fwd")
    outer.add_attachment(letter("The inner text.\n", Subject="Inner"))
    assert "The inner text." in (checked(parse_document(bytes(outer), "x.eml")).text or "")


@pytest.mark.parametrize("text", SCRIPTS)
def test_all_scripts(text: str) -> None:
    message = letter(text + "\n", Subject=text, From=f"{text[:10]} <a@example.org>")
    document = checked(parse_document(bytes(message), "x.eml"))
    assert document.title == text
    assert (document.text or "").count(text) == 2


@pytest.mark.parametrize(
    ("declared", "encoded", "text"),
    [
        ("windows-1251", "windows-1251", "Заработная плата выросла"),
        ("koi8-r", "koi8-r", "Заработная плата выросла"),
        ("iso-8859-8-i", "utf-8", "שלום עולם"),
        ("iso-2022-jp", "iso-2022-jp", "賃金は上がった"),
        ("shift_jis", "shift_jis", "賃金は上がった"),
        ("us-ascii", "utf-8", "Grüße aus Łódź"),
        ("no-such-charset", "utf-8", "Grüße aus Łódź"),
        ("no-such-charset", "cp1252", "Grüße – café"),
        ("zlib", "utf-8", "Grüße"),
        ("utf-8", "cp1252", "Grüße – café"),
    ],
)
def test_encodings_that_lie(declared: str, encoded: str, text: str) -> None:
    head = f"Subject: s\nContent-Type: text/plain; charset={declared}\nContent-Transfer-Encoding: 8bit\n\n"
    document = checked(parse_document(head.encode() + text.encode(encoded) + b"\n", "x.eml"))
    assert text in (document.text or "")


def test_parts_of_different_encodings() -> None:
    head = 'Subject: =?koi8-r?B?+sHSwcLP1M7B0Q==?= =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\nContent-Type: multipart/mixed; boundary="x"\n\n'
    body = head.encode()
    for charset, text in (("koi8-r", "Привет"), ("iso-8859-1", "Grüße"), ("utf-8", "שלום")):
        body += f"--x\nContent-Type: text/plain; charset={charset}\n\n".encode() + text.encode(charset) + b"\n"
    document = checked(parse_document(body + b"--x--\n", "x.eml"))
    assert document.title == "ЗаработнаяGrüße"
    assert all(word in (document.text or "") for word in ("Привет", "Grüße", "שלום"))


def test_headers_of_bare_bytes() -> None:
    assert parse_document("Subject: Grüße aus Łódź\n\nx\n".encode(), "x.eml").title == "Grüße aus Łódź"
    assert parse_document("Subject: Grüße\n\nx\n".encode("latin-1"), "x.eml").text is not None


def mailbox(*messages: EmailMessage) -> bytes:
    return b"".join(b"From ann@example.org Wed Oct 16 09:30:00 2019\n" + bytes(one) + b"\n" for one in messages)


def test_a_mailbox() -> None:
    data = mailbox(
        letter("First text.\n", Subject="One", Date=DATE),
        letter(
            ">From here on quoted.\n\nFrom there it went on.\n", Subject="Two", Date="Thu, 17 Oct 2019 00:00:00 +0000"
        ),
        letter("Third.\n", From="c@example.org"),
    )
    document = checked(parse_document(data, "inbox.mbox", mtime_ns=0))
    assert parse_document(data, "Inbox").mime_type == "application/mbox"  # as mail programs name them
    assert parse_document(b"From here on 2019 it goes.\nAnd on.\n", "Inbox").mime_type == "text/plain"
    headings = [b.title for b in document_blocks(document) if b.kind == "heading"]
    assert headings == ["One", "Two", "(no subject)"]
    assert "\nFrom here on quoted.\n\nFrom there it went on.\n" in (document.text or "")
    assert document.front_matter == {"messages": 3, "first": "2019-10-16T13:30:00Z", "last": "2019-10-17"}
    assert (document.title, document.date) == ("inbox", "2019-10-17")


@pytest.mark.parametrize("data", [b"", b"\0" * 100, b"%PDF-1.4", b"no header at all", "שלום".encode()])
def test_what_is_no_mail(data: bytes) -> None:
    assert parse_document(data, "a.eml").unread == "It is no e-mail message; kept as a file."
    assert parse_document(data, "a.mbox").unread == "It holds no e-mail message; kept as a file."


def test_mail_nested_without_end() -> None:
    data = b"Subject: s\n" + b"".join(
        f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n'.encode() for n in range(2000)
    )
    document = parse_document(data, "a.eml")
    assert document.text is not None or document.unread


SAMPLE = bytes(letter("Grüße.\n", Subject="Łódź", Date=DATE, From="a@example.org"))


@given(st.integers(0, len(SAMPLE) - 1), st.binary(max_size=12), st.sampled_from(["a.eml", "a.mbox"]))
@settings(max_examples=200, deadline=None)
def test_no_damage_is_too_odd(place: int, change: bytes, name: str) -> None:
    start = b"From a Wed Oct 16 09:30:00 2019\n" if name == "a.mbox" else b""
    document = parse_document(start + SAMPLE[:place] + change + SAMPLE[place + len(change) :], name)
    assert (document.text is None) == bool(document.unread)
    assert "broken" not in document.unread  # that would be a fault of ours
    if document.text is not None:
        checked(document)


def test_an_odd_charset() -> None:
    """Python's parser of mail raises ``ValueError`` for it: an encoding cannot have such a name."""
    document = parse_document(b'Subject: s\nContent-Type: text/plain; charset="a\0b"\n\n\xff wages\n', "a.eml")
    assert document.text is not None and "wages" in document.text
