"""Plain HTTP against a server that misbehaves in every way: each ends with a sentence, in bounded time and memory."""

from __future__ import annotations

import gzip
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import web_server
from web_server import MIB, Answer, WebServer, bomb, page, redirect

from kgfs.errors import DeadlineExceeded, KgfsError, NotFoundError, RefusedError, TooLarge
from kgfs.sources.web.http import FetchedPage, fetch_page


@pytest.fixture
def server() -> Iterator[WebServer]:
    with WebServer() as running:
        yield running


def get(url: str, **options: Any) -> FetchedPage:
    return fetch_page(url, **{"most": MIB, "seconds": 5.0, "private": True, **options})


def test_a_page(server: WebServer) -> None:
    modified = "Wed, 30 Oct 2019 12:00:00 GMT"
    server.pages["/a%20b?q=1"] = Answer(b"<p>Hi", headers={"Last-Modified": modified}, etag='"1"')
    got = get(server.url("/a b?q=1#part"))
    assert (got.body, got.content_type, got.etag) == (b"<p>Hi", "text/html", '"1"')
    assert got.mtime_ns == 1572436800 * 10**9
    ((path, headers),) = server.seen
    assert path == "/a%20b?q=1"
    assert headers["Host"] == f"127.0.0.1:{server.port}"
    assert "Authorization" not in headers and "Cookie" not in headers
    again = get(server.url("/a b?q=1"), etag='"1"')
    assert again.unchanged and again.body == b"" and again.etag == '"1"'
    assert not get(server.url("/a b?q=1"), etag='"0"').unchanged


@pytest.mark.parametrize(
    ("content_type", "body", "text"),
    [
        ("text/html; charset=windows-1251", "Привет".encode("cp1251"), "Привет"),
        ("text/plain; charset='ISO-8859-1'", b"caf\xe9 \x93x\x94", "café “x”"),
        ("text/html; charset=utf-16", "né".encode("utf-16"), "né"),
        ("text/html; charset=UTF-8", "né".encode(), "né"),
        ("text/html; charset=no-such", b"plain", "plain"),
        ("text/html; charset=utf-16", b"odd", "odd"),
        ("application/json; charset=latin1", b'"\xe9"', '"é"'),
    ],
)
def test_encodings_that_only_the_server_names(server: WebServer, content_type: str, body: bytes, text: str) -> None:
    server.pages["/"] = Answer(body, content_type)
    assert get(server.url()).body.decode() == text


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_packed(server: WebServer, coding: str) -> None:
    import zlib

    text = b"<p>" + b"word " * 50_000
    packed = gzip.compress(text[:1000]) + gzip.compress(text[1000:]) if coding == "gzip" else zlib.compress(text)
    server.pages["/"] = Answer(packed, headers={"Content-Encoding": coding})
    assert get(server.url()).body == text
    server.pages["/"] = Answer(packed[:-20], headers={"Content-Encoding": coding})
    with pytest.raises(KgfsError, match="broke off"):
        get(server.url())
    server.pages["/"] = Answer(b"no such thing", headers={"Content-Encoding": coding})
    with pytest.raises(KgfsError, match="damaged"):
        get(server.url())
    server.pages["/"] = bomb(coding)
    with pytest.raises(TooLarge, match="max_download_bytes"):
        get(server.url())


def test_packed_otherwise(server: WebServer) -> None:
    import zlib

    raw = zlib.compressobj(wbits=-15)
    server.pages["/"] = Answer(raw.compress(b"hello") + raw.flush(), headers={"Content-Encoding": "deflate"})
    assert get(server.url()).body == b"hello"
    for coding in ("br", "gzip, gzip", "x-unknown"):
        server.pages["/"] = Answer(b"x", headers={"Content-Encoding": coding})
        with pytest.raises(KgfsError, match="unsupported encoding"):
            get(server.url())


@pytest.mark.parametrize(
    ("act", "error", "told"),
    [
        (web_server.hang, DeadlineExceeded, "did not answer in full"),
        (web_server.drip_head, DeadlineExceeded, "did not answer in full"),
        (web_server.drip_body, DeadlineExceeded, "did not answer in full"),
        (web_server.promise_too_much, KgfsError, "broke off"),
        (web_server.endless, TooLarge, "larger than"),
        (web_server.announced, TooLarge, "larger than"),
        (web_server.nonsense, KgfsError, "no answer that can be understood"),
        (web_server.close, KgfsError, "no answer that can be understood"),
    ],
)
def test_misbehaviour(server: WebServer, act: Any, error: type[KgfsError], told: str) -> None:
    server.pages["/"] = Answer(act=act)
    with pytest.raises(error, match=told) as caught:
        get(server.url(), seconds=0.5 if error is DeadlineExceeded else 10.0)
    assert server.url() in str(caught.value) and "\n" not in str(caught.value)


def test_no_more_than_was_promised(server: WebServer) -> None:
    server.pages["/"] = Answer(act=web_server.understated)
    assert get(server.url()).body == b"12345"


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [
        (404, NotFoundError, "is gone"), (410, NotFoundError, "is gone"), (401, KgfsError, "asks for a login"),
        (403, KgfsError, "does not let"), (429, KgfsError, "come back later"), (500, KgfsError, "fault of its own"),
        (503, KgfsError, "fault of its own"), (204, KgfsError, "gives no page"), (206, KgfsError, "gives no page"),
        (302, KgfsError, "gives no page"), (304, KgfsError, "gives no page"),
    ],
)  # fmt: skip
def test_statuses(server: WebServer, status: int, error: type[KgfsError], told: str) -> None:
    server.pages["/"] = Answer(b"", status=status)
    with pytest.raises(error, match=told) as caught:
        get(server.url())
    assert isinstance(caught.value, NotFoundError) == (error is NotFoundError)


def test_redirects(server: WebServer) -> None:
    server.pages |= {f"/{n}": redirect(f"/{n + 1}", (301, 302, 303, 307, 308)[n % 5]) for n in range(5)}
    server.pages["/5"] = page("The end", "Here.")
    assert get(server.url("/0")).url == server.url("/5")
    server.pages["/5"] = redirect("/6")
    server.pages["/6"] = page("Too far")
    with pytest.raises(KgfsError, match="on and on"):
        get(server.url("/0"))
    server.pages["/loop"] = redirect("/loop")
    with pytest.raises(KgfsError, match="on and on"):
        get(server.url("/loop"))
    for target in (
        "file:///etc/passwd",
        "ftp://example.com/",
        "http://[::1",
        "gopher://127.0.0.1:70/_x",
        "data:,x",
    ):
        server.pages["/out"] = redirect(target)
        with pytest.raises(KgfsError, match="which is no page"):
            get(server.url("/out"))


# --- only the public network ---------------------------------------------------------------------------------------

INSIDE = [
    "http://127.0.0.1/", "http://127.1/", "http://127.0.1/", "http://0/", "http://0.0.0.0/", "http://2130706433/",
    "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://017700000001/", "http://localhost/",
    "http://LOCALHOST/", "http://[::1]/", "http://[::]/", "http://[0:0:0:0:0:0:0:1]/",
    "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/", "http://[::ffff:a9fe:a9fe]/",
    "http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://[fe80::1]/", "http://10.0.0.1/",
    "http://10.1/", "http://172.16.0.1/", "http://192.168.0.1/", "http://100.64.0.1/", "http://224.0.0.1/",
    "http://255.255.255.255/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://[ff02::1]/",
    "http://example.com@127.0.0.1/", "http://example.com:80@127.0.0.1/", "http://127.0.0.1:80#@example.com/",
    "http://127.0.0.1?@example.com/", "https://127.0.0.1:22/", "http://①②⑦.0.0.1/", "http://127。0。0。1/",
]  # fmt: skip


@pytest.mark.parametrize("url", INSIDE)
def test_what_may_not_be_reached(url: str) -> None:
    with pytest.raises(RefusedError, match="--allow-private"):
        get(url, private=False)


def test_names_that_mean_this_machine(server: WebServer) -> None:
    """A name may stand for anything; all that it stands for is looked at, at each hop, and looked up once."""
    looked: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        looked.append(host)
        # The second time another machine: what was checked is not what a second look-up would give.
        return ["93.184.216.34"] if looked.count(host) == 1 else ["127.0.0.1"]

    for addresses in (["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["::1"], ["::ffff:10.0.0.1"]):
        with pytest.raises(RefusedError):
            get("http://evil.example/", private=False, resolve=lambda host, port, found=addresses: found)
    with pytest.raises(KgfsError) as caught:  # no route out, or nobody there: never this machine
        get(f"http://rebind.example:{server.port}/", private=False, resolve=resolve, seconds=0.5)
    assert not isinstance(caught.value, RefusedError)
    assert looked == ["rebind.example"] and server.seen == []


def test_redirects_to_this_machine(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first hop is public (the test's own server, declared so), what it leads to is not."""
    from kgfs.sources.web import addresses

    public = addresses.is_public
    monkeypatch.setattr(addresses, "is_public", lambda text: text == "127.0.0.1" or public(text))
    for target in ("http://127.0.0.2/", "http://[::1]/x", "//169.254.169.254/latest", "http://10.0.0.1:8080/"):
        server.pages["/"] = redirect(target)
        with pytest.raises(RefusedError, match="on this machine or its network"):
            get(server.url(), private=False)
    assert len(server.seen) == 4


def test_metadata_of_a_cloud_is_not_read_where_private_pages_are(server: WebServer) -> None:
    for target in ("http://169.254.169.254/latest", "http://[::ffff:a9fe:a9fe]/", "http://[fe80::1]/"):
        server.pages["/"] = redirect(target)
        with pytest.raises(RefusedError, match="link-local"):
            get(server.url(), private=True)
    assert len(server.seen) == 3


def test_the_host_is_named_and_the_address_connected_to(server: WebServer) -> None:
    server.pages["/x"] = Answer(b"ok")
    got = get(f"http://pages.example:{server.port}/x", resolve=lambda host, port: ["127.0.0.9", "127.0.0.1"])
    assert got.body == b"ok"  # nobody listens at the first
    assert server.seen[0][1]["Host"] == f"pages.example:{server.port}"
    with pytest.raises(KgfsError, match=r"pages\.example cannot be reached"):
        get("http://pages.example:1/x", resolve=lambda host, port: ["127.0.0.1"])

    def unknown(host: str, port: int) -> list[str]:
        raise socket.gaierror(-2, "Name or service not known")

    with pytest.raises(KgfsError, match="is not known"):
        get("http://nowhere.example/", resolve=unknown)


def test_proxies_are_not_used(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    server.pages["/"] = Answer(b"direct")
    assert get(server.url()).body == b"direct"


def test_certificates_are_of_the_name(tmp_path: Path) -> None:
    """TLS to the address that was checked, for the name that was asked for."""
    server_side, client_side = certified(tmp_path, "pages.example")
    listener = socket.create_server(("127.0.0.1", 0))
    with WebServer() as server, listener:
        server.pages["/"] = Answer(b"secret")
        server._http.socket = server_side.wrap_socket(server._http.socket, server_side=True)
        options = {"resolve": lambda host, port: ["127.0.0.1"], "tls": client_side}
        assert get(f"https://pages.example:{server.port}/", **options).body == b"secret"
        with pytest.raises(KgfsError, match="cannot be reached"):
            get(f"https://other.example:{server.port}/", **options)


def certified(directory: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's and a client's side, with a certificate for ``name`` that signs itself."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain, private = directory / "cert.pem", directory / "key.pem"
    chain.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    server_side = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server_side.load_cert_chain(chain, private)
    return server_side, ssl.create_default_context(cafile=str(chain))
