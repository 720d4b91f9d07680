"""Drives by origin: one spelling of a URL, its path there and back, and which addresses may be reached."""

from __future__ import annotations

import importlib.metadata
import logging
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.errors import RefusedError, UsageError
from kgfs.namespace.context_names import decode_path, encode_path
from kgfs.sources.web import drives
from kgfs.sources.web.addresses import is_public, reachable_addresses, system_resolver
from kgfs.sources.web.drives import detect_drive, normal_url, url_of, url_path
from kgfs.sources.web.file_names import file_name


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("https://Example.com:443/post#part", "https://example.com/post"),
        ("HTTPS://example.com", "https://example.com/"),
        ("http://ann:secret@example.com:8080/a", "http://example.com:8080/a"),
        ("http://example.com:80/?", "http://example.com/"),
        ("https://example.com/a/../b/./c/", "https://example.com/b/c/"),
        ("https://example.com/../../a", "https://example.com/a"),
        ("https://example.com/%7eann/%41%2fB?q=%c3%a9", "https://example.com/~ann/A%2FB?q=%C3%A9"),
        ("https://example.com/a b/é", "https://example.com/a%20b/%C3%A9"),
        ("https://example.com/100%", "https://example.com/100%25"),
        ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
        ("https://[2001:DB8::1]/x", "https://[2001:db8::1]/x"),
        ("  https://example.com/a\n", "https://example.com/a"),
    ],
)
def test_one_spelling(url: str, normal: str) -> None:
    assert normal_url(url) == normal
    assert normal_url(normal) == normal


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/a", "file:///etc/passwd", "javascript:alert(1)", "https://", "https:///path", "http://[::1",
        "https://example.com:99999/", "https://exa mple.com/", "http://a\\@b.example/", "http://exa\nmple.com/a\0b",
        "https://" + "a" * 9000, "//example.com/a", "https://ex\udcffample.com/", "http://a%2eexample/", "gopher://x/1",
    ],
)  # fmt: skip
def test_what_is_no_url(url: str) -> None:
    with pytest.raises(UsageError):
        normal_url(url)


_PARTS = st.text(st.characters(codec="utf-8", exclude_characters="\\\x7f", min_codepoint=0x20), max_size=12)


@given(
    scheme=st.sampled_from(["http", "https"]),
    host=st.sampled_from(["example.com", "a-b.example", "127.0.0.1", "[::1]"]),
    port=st.sampled_from(["", ":8080"]),
    path=st.lists(_PARTS, max_size=4),
    query=st.none() | _PARTS,
    raw=st.binary(max_size=3),
)
def test_a_path_is_its_url(scheme: str, host: str, port: str, path: list[str], query: str | None, raw: bytes) -> None:
    escaped = "".join(f"%{byte:02x}" for byte in raw)
    tail = "/".join(["", *(part.replace("?", "").replace("#", "") for part in path), escaped])
    url = normal_url(f"{scheme}://{host}{port}{tail}" + ("" if query is None else "?" + query.replace("#", "")))
    stored = url_path(url)
    assert url_of(stored) == url
    assert decode_path(encode_path(stored)) == stored  # and so is its place in the tree
    assert urlsplit(url).hostname


def test_how_paths_look() -> None:
    assert url_path("https://example.com/post") == "/https/example.com/post"
    assert url_path("https://example.com/") == "/https/example.com"
    assert url_path("http://example.com:8080/a%20b/?page=2&x=%C3%A9") == "/http/example.com:8080/a b/?page=2&x=é"
    assert url_path("https://example.com/a%2Fb%3F%FF") == "/https/example.com/a%2Fb%3F%FF"
    for nothing in ("/ftp/x", "/https", "/", "/https/"):
        with pytest.raises(UsageError):
            url_of(nothing)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://example.com/blog/post", ("url", "/https/example.com/blog/post")),
        ("https://github.com/Ann/Tools/blob/main/docs/a.md#L3", ("github", "/ann/tools/docs/a.md")),
        ("https://raw.githubusercontent.com/ann/tools/main/docs/a.md", ("github", "/ann/tools/docs/a.md")),
        ("https://raw.githubusercontent.com/ann/tools/refs/heads/main/a.md", ("github", "/ann/tools/a.md")),
        ("https://github.com/ann/tools.git", ("github", "/ann/tools")),
        ("https://github.com/ann/tools/blob/dev/a.md", ("github", "/ann/tools/blob/dev/a.md")),
        ("https://github.com/ann/tools/blob/main/issues/5", ("github", "/ann/tools/blob/main/issues/5")),
        ("https://github.com/ann/tools/issues/5", ("github", "/ann/tools/issues/5")),
        ("https://github.com/ann/tools/issues?q=open", ("github", "/ann/tools/issues?q=open")),
        ("https://github.com/ann", ("url", "/https/github.com/ann")),
        ("https://github.com.evil.example/ann/tools", ("url", "/https/github.com.evil.example/ann/tools")),
        ("https://docs.google.com/document/d/1AbCDEFGhij/edit?tab=t.0#h", ("google-docs", "/1AbCDEFGhij")),
        ("https://docs.google.com/a/corp.example/document/d/1AbCDEFGhij/view", ("google-docs", "/1AbCDEFGhij")),
        ("https://docs.google.com/document/u/0/d/1AbCDEFGhij", ("google-docs", "/1AbCDEFGhij")),
        ("https://docs.google.com/forms/d/1AbCDEFGhij", ("url", "/https/docs.google.com/forms/d/1AbCDEFGhij")),
    ],
)
def test_drives_by_origin(url: str, place: tuple[str, str]) -> None:
    assert detect_drive(url) == place


def test_an_origin_of_ones_own(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    class Entry:
        group, value = drives.GROUP, "somewhere:origin"

        def __init__(self, name: str, loaded: object) -> None:
            self.name, self._loaded = name, loaded

        def load(self) -> object:
            if isinstance(self._loaded, Exception):
                raise self._loaded
            return self._loaded

    def wiki(place: drives.UrlParts) -> tuple[str, str] | None:
        return ("wiki", "/" + place.parts[-1]) if place.server == "corp-wiki" or place.host == "wiki.corp" else None

    def boom(place: drives.UrlParts) -> None:
        raise ZeroDivisionError

    entries = [
        Entry("broken", ImportError("no such module")), Entry("none", 5), Entry("raises", boom),
        Entry("steals", lambda place: ("disk", "/etc/passwd")), Entry("wrong", lambda place: "x"), Entry("wiki", wiki),
    ]  # fmt: skip
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: entries)
    drives.drive_origins.cache_clear()
    try:
        with caplog.at_level(logging.WARNING):
            assert detect_drive("https://wiki.corp/pages/Home") == ("wiki", "/Home")
            assert detect_drive("https://example.com/Home", "corp-wiki") == ("wiki", "/Home")
            assert detect_drive("https://example.com/Home") == ("url", "/https/example.com/Home")
            assert detect_drive("https://github.com/ann/tools") == ("github", "/ann/tools")
    finally:
        drives.drive_origins.cache_clear()
    told = caplog.text
    assert all(f"The drive {name}" in told for name in ("broken", "none", "raises", "steals", "wrong"))


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "100.64.0.1", "169.254.169.254", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9",
        "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "::127.0.0.1", "::ffff:0:0", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1",
        "2001:db8::1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:a00:1::1",
        "2001:0:a00:1::1", "100::1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)
    with pytest.raises(RefusedError, match="allow-private"):
        reachable_addresses(
            "innocent.example", 80, private=False, resolve=lambda host, port: ["93.184.216.34", address]
        )


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "host", ["127.1", "0x7f000001", "2130706433", "0177.0.0.1", "0x7f.1", "localhost", "[::1]", "[::ffff:7f00:1]", "0"]
)
def test_numbers_in_the_forms_of_old(host: str) -> None:
    with pytest.raises(RefusedError):
        reachable_addresses(host, 80, private=False, resolve=system_resolver)


@pytest.mark.parametrize(
    ("url", "mime_type", "head", "name"),
    [
        ("https://e.com/", "text/html", b"", "e.com.html"),
        ("https://e.com/index.php", "text/html", b"", "index.php.html"),
        ("https://e.com/a.pdf", "application/pdf", b"%PDF-1.7", "a.pdf"),
        ("https://e.com/a.pdf", "application/pdf", b"\n<!DOCTYPE html><title>Log in", "a.pdf.html"),
        ("https://e.com/a", "application/octet-stream", b"<html>", "a.html"),
        ("https://e.com/README.md", "text/plain", b"# Hello", "README.md"),
        ("https://e.com/page.html", "text/plain", b"a < b", "page.html.txt"),
        ("https://e.com/data?f=x.exe", "application/json", b"{}", "data.json"),
        ("https://e.com/v1.2", "application/xhtml+xml", b"", "v1.2.html"),
        ("https://e.com/%2e%2e%2Fx", "", b"", ".._x"),
    ],
)
def test_names_of_pages(url: str, mime_type: str, head: bytes, name: str) -> None:
    assert file_name(url, mime_type, head) == name
