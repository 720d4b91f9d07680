"""A page over plain HTTP: one answer of bounded size in bounded time, from the public network only.

Used by ``loading`` in the loader process. Nothing here trusts the other end: not its length, its type, its encoding,
its redirects, nor the speed at which it sends. Proxies and credentials of the environment are not used.
"""

from __future__ import annotations

import codecs
import functools
import ssl
import time
import zlib
from email.message import Message
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin, urlsplit

import anyio
import httpx2
import msgspec

from kgfs.errors import DeadlineExceeded, KgfsError, NotFoundError, TooLarge, UsageError
from kgfs.sources.web.addresses import Resolver, reachable_addresses, system_resolver
from kgfs.sources.web.drives import normal_url

SECONDS = 30.0
"""One page takes no longer, redirects and all."""
MAX_REDIRECTS = 5
_CONNECT_SECONDS = 10.0
_AGENT = "kgfs (reads pages that its user adds)"
_ENCODINGS = {"gzip": 31, "x-gzip": 31, "deflate": 47}
"""Content codings and the window bits by which zlib knows them."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_REASONS = {
    401: "asks for a login", 402: "asks for money", 403: "does not let kgfs read it",
    406: "has it in no form asked for", 429: "asks to come back later, it had too many requests",
    451: "may not show it for legal reasons",
}  # fmt: skip


class FetchedPage(msgspec.Struct, kw_only=True):
    """An answer."""

    url: str
    """Where it came from in the end, after redirects."""
    body: bytes = b""
    """UTF-8 where the server named another encoding of a text."""
    content_type: str = ""
    """Media type without parameters, lower case; empty where the server named none."""
    etag: str = ""
    last_modified: str = ""
    unchanged: bool = False
    """The server says that it is what was fetched before; there is no ``body``."""

    @property
    def mtime_ns(self) -> int | None:
        """``last_modified`` in nanoseconds since 1970; ``None`` where the server says nothing that is a date."""
        try:
            return int(parsedate_to_datetime(self.last_modified).timestamp()) * 1_000_000_000
        except (TypeError, ValueError, OverflowError):
            return None


def fetch_page(
    url: str,
    *,
    most: int,
    seconds: float = SECONDS,
    private: bool = False,
    etag: str = "",
    last_modified: str = "",
    resolve: Resolver = system_resolver,
    tls: ssl.SSLContext | None = None,
) -> FetchedPage:
    """What is at a URL, at most ``most`` bytes, within ``seconds``.

    With ``etag`` or ``last_modified`` of an earlier answer only if it changed since. Raised are ``RefusedError`` (an
    address that is not public, unless ``private``), ``NotFoundError`` (404 and 410: it is gone), ``TooLarge``,
    ``DeadlineExceeded``, ``UsageError`` (no URL), and ``KgfsError`` for all else that another end can do.
    """
    url = normal_url(url)

    async def work() -> FetchedPage:
        with anyio.fail_after(seconds):
            asked = _Asked(most, private, resolve, {"etag": etag, "last_modified": last_modified})
            # Its own timeouts are longer than ours: one deadline is over all.
            async with httpx2.AsyncClient(
                verify=tls or _public_tls(), trust_env=False, timeout=seconds * 2, follow_redirects=False
            ) as client:
                return await _follow(client, url, asked)

    started = time.monotonic()
    try:
        return anyio.run(work)
    except TimeoutError:
        taken = time.monotonic() - started
        raise DeadlineExceeded(f"{url} did not answer in full within {taken:.0f} seconds; try again later.") from None


@functools.cache
def _public_tls() -> ssl.SSLContext:
    """The certificates that the system trusts, read once."""
    return httpx2.create_ssl_context(trust_env=False)


class _Asked(msgspec.Struct, frozen=True):
    """What is asked of every hop."""

    most: int
    private: bool
    resolve: Resolver
    before: dict[str, str]


async def _follow(client: httpx2.AsyncClient, url: str, asked: _Asked) -> FetchedPage:
    first = url
    for _ in range(MAX_REDIRECTS + 1):
        response = await _ask(client, url, asked)
        try:
            if response.status_code not in _REDIRECTS or "location" not in response.headers:
                return await _answer(response, url, asked)
            target = response.headers["location"]
        finally:
            await response.aclose()
        try:
            url = normal_url(urljoin(url, target))
        except (UsageError, ValueError):
            raise KgfsError(f"{first} leads to {target[:200]!r}, which is no page; save it and add the file.") from None
    raise KgfsError(f"{first} leads on and on, more than {MAX_REDIRECTS} times; add the page that it should lead to.")


async def _ask(client: httpx2.AsyncClient, url: str, asked: _Asked) -> httpx2.Response:
    """The head of one answer, from an address that was checked."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)

    def look_up() -> list[str]:
        return reachable_addresses(host, port, private=asked.private, resolve=asked.resolve)

    try:
        addresses = await anyio.to_thread.run_sync(look_up, abandon_on_cancel=True)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise KgfsError(f"{host} is not known ({reason}); check the URL and the network.") from error
    headers = {
        "Host": parts.netloc, "User-Agent": _AGENT, "Accept": "text/html,text/markdown,text/*;q=0.9,*/*;q=0.8",
        "Accept-Encoding": "gzip, deflate",
    }  # fmt: skip
    if asked.before["etag"]:
        headers["If-None-Match"] = asked.before["etag"]
    if asked.before["last_modified"]:
        headers["If-Modified-Since"] = asked.before["last_modified"]
    failure: Exception | None = None
    for address in addresses:
        request = client.build_request(
            "GET",
            httpx2.URL(url).copy_with(host=address),
            headers=headers,
            # The certificate is checked for the name, not for the address.
            extensions={
                "sni_hostname": host,
                "timeout": {**httpx2.Timeout(None).as_dict(), "connect": _CONNECT_SECONDS},
            },
        )
        try:
            return await client.send(request, stream=True)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            failure = error
        except httpx2.HTTPError as error:
            raise KgfsError(f"{url} gave no answer that can be understood ({_why(error)}).") from error
    raise KgfsError(f"{host} cannot be reached ({_why(failure)}); check the URL and the network.") from failure


def _why(error: Exception | None) -> str:
    return str(error or "").strip()[:200] or type(error).__name__


async def _answer(response: httpx2.Response, url: str, asked: _Asked) -> FetchedPage:
    status = response.status_code
    etag, modified = response.headers.get("etag", "")[:500], response.headers.get("last-modified", "")[:100]
    if status == 304 and any(asked.before.values()):
        etag, modified = etag or asked.before["etag"], modified or asked.before["last_modified"]
        return FetchedPage(url=url, unchanged=True, etag=etag, last_modified=modified)
    if status in (404, 410):
        raise NotFoundError(f"{url} is gone: the server says {status}.")
    if status != 200:
        reason = _REASONS.get(status) or ("has a fault of its own" if status >= 500 else "gives no page")
        raise KgfsError(f"{url} cannot be read: the server {reason} ({status}).")
    body = await _body(response, url, asked.most)
    kind, charset = _content_type(response.headers.get("content-type", ""))
    return FetchedPage(
        url=url, body=_as_utf8(body, kind, charset), content_type=kind, etag=etag, last_modified=modified
    )


async def _body(response: httpx2.Response, url: str, most: int) -> bytes:
    """All bytes, unpacked; stops as soon as they are more than ``most``, whatever was said before."""
    too_large = TooLarge(f"{url} is larger than {most:,} bytes; max_download_bytes allows more (`kgfs config`).")
    said = response.headers.get("content-length", "")
    if said.isdigit() and int(said) > most:
        raise too_large
    codings = [one.strip().lower() for one in response.headers.get("content-encoding", "").split(",")]
    codings = [one for one in codings if one and one != "identity"]
    if len(codings) > 1 or any(one not in _ENCODINGS for one in codings):
        raise KgfsError(f"{url} has an unsupported encoding ({', '.join(codings)[:100]}); save it and add the file.")
    unpack = _Unpacking(_ENCODINGS[codings[0]]) if codings else None
    parts, size = [], 0
    try:
        async for raw in response.aiter_raw():
            data = unpack.more(raw, most + 1 - size) if unpack else raw
            parts.append(data)
            size += len(data)
            if size > most:
                raise too_large
    except zlib.error as error:
        raise KgfsError(f"{url} came damaged (it cannot be unpacked: {error}); try again later.") from error
    except httpx2.HTTPError as error:
        raise KgfsError(f"{url} broke off before all of it had come ({_why(error)}); try again later.") from error
    if unpack and not unpack.whole:
        raise KgfsError(f"{url} broke off before all of it had come (it cannot be unpacked); try again later.")
    return b"".join(parts)


class _Unpacking:
    """gzip and deflate, never more at once than is asked for."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._state = zlib.decompressobj(window)
        self._begun = False

    def more(self, raw: bytes, most: int) -> bytes:
        parts = []
        while raw and most > 0:
            if self._state.eof:
                if not raw.startswith(b"\x1f\x8b"):
                    break  # what stands behind the end means nothing
                self._state = zlib.decompressobj(self._window)  # gzip: one member after another
            try:
                part = self._state.decompress(raw, most)
            except zlib.error:
                if self._begun or self._window != _ENCODINGS["deflate"]:
                    raise
                self._window = -15  # deflate without its head, as some servers have it
                self._state = zlib.decompressobj(self._window)
                part = self._state.decompress(raw, most)
            self._begun = True
            parts.append(part)
            most -= len(part)
            raw = self._state.unused_data if self._state.eof else self._state.unconsumed_tail
        return b"".join(parts)

    @property
    def whole(self) -> bool:
        return self._state.eof or not self._begun


def _content_type(header: str) -> tuple[str, str]:
    """The media type and its charset, as far as they are what they should be."""
    message = Message()
    message["content-type"] = header.replace("\r", " ").replace("\n", " ")[:500]
    kind = message.get_content_type() if "/" in header else ""
    charset = message.get_param("charset", "")
    return kind.lower(), charset if isinstance(charset, str) else ""


def _as_utf8(body: bytes, kind: str, charset: str) -> bytes:
    """A text in another encoding, which only the server names, as UTF-8; what it names wrongly stays as it is."""
    textual = kind.startswith("text/") or kind.endswith(("+xml", "+json", "/json", "/xml"))
    try:
        name = codecs.lookup(charset.strip().strip("'\"")).name if textual and charset else "utf-8"
        if name in ("utf-8", "ascii"):
            return body
        # Browsers read what calls itself Latin-1 as its superset.
        return body.decode("windows-1252" if name == "iso8859-1" else name).encode()
    except (LookupError, ValueError):
        return body
