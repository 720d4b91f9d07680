"""Which drive and path a URL has: by its origin (design, section 2.4), found by a list of origins that others extend.

Used by the pipeline and by the loader process; pure. An origin of one's own is an entry point of the group
``kgfs.drives``: a function of a ``UrlParts`` that returns ``(drive, path)``, or ``None`` for what is not its own. One
that cannot be loaded or fails is reported in the log and passed over.
"""

from __future__ import annotations

import functools
import importlib.metadata
import logging
import re
from collections.abc import Callable, Sequence
from urllib.parse import quote, unquote, unquote_to_bytes, urlsplit, urlunsplit

import msgspec

from kgfs.errors import UsageError
from kgfs.paths import is_drive

log = logging.getLogger(__name__)

GROUP = "kgfs.drives"
URL = "url"
GITHUB = "github"
GOOGLE_DOCS = "google-docs"

MAX_URL = 8000
"""Characters; longer ones no server takes."""

_PORTS = {"http": 80, "https": 443}
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_LONE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SAFE = "!$%&'()*+,/:;=?@[]~-._"
"""What stands in a URL as it is; all else is percent-encoded."""
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\]")
_DEFAULT_BRANCHES = frozenset({"main", "master", "HEAD"})
_SECTIONS = frozenset(
    "actions blob blame branches commit commits compare discussions graphs issues labels milestones packages projects "
    "pull pulls pulse raw releases search security settings stargazers tags tree watchers wiki".split()
)
"""What stands behind ``owner/repo`` on GitHub and is no file."""
_DOCUMENT = re.compile(r"/(?:a/[^/]+/)?(?:document|spreadsheets|presentation|file)/(?:u/\d+/)?d/([A-Za-z0-9_-]{10,})")


class UrlParts(msgspec.Struct, frozen=True, kw_only=True):
    """A URL as an origin looks at it."""

    url: str
    """As ``normal_url`` writes it."""
    host: str
    parts: tuple[str, ...]
    """The components of its path, decoded, without empty ones."""
    server: str = ""
    """The MCP server that gave the content; empty where none did."""


Origin = Callable[[UrlParts], tuple[str, str] | None]


def normal_url(url: str) -> str:
    """One spelling of all that mean the same: no fragment, no user and password, no default port, a path.

    Scheme and host are lower case, the host is ASCII (IDNA), ``.`` and ``..`` are worked out, characters are
    percent-encoded where they must be and only there. ``UsageError`` for what is no ``http`` or ``https`` URL.
    """
    shown = url if len(url) <= 200 else url[:200] + "…"
    if len(url) > MAX_URL:
        raise UsageError(f"{shown} is longer than {MAX_URL:,} characters; no server takes such a URL.")
    if re.search(r"[\x00-\x1f\x7f\\]", url.strip()) or any(0xD800 <= ord(char) <= 0xDFFF for char in url):
        raise UsageError(f"{shown!r} is no URL: it has characters that none has; copy it again.")
    try:
        parts = urlsplit(url.strip())
        port = parts.port
        host = parts.hostname or ""
    except ValueError as error:
        raise UsageError(f"{shown} is no URL ({error}); it is like https://example.com/page.") from error
    scheme = parts.scheme.lower()
    if scheme not in _PORTS:
        raise UsageError(f"{shown} is no http or https URL; save what it shows and add the file.")
    host = f"[{host}]" if ":" in host else _ascii(host, shown)
    if not _HOST.fullmatch(host):
        raise UsageError(f"{shown} names no host; a URL is like https://example.com/page.")
    netloc = host if port in (None, _PORTS[scheme]) else f"{host}:{port}"
    path = _without_dots(_escaped(parts.path)) or "/"
    return urlunsplit((scheme, netloc, path, _escaped(parts.query), ""))


def _ascii(host: str, shown: str) -> str:
    if host.isascii():
        return host.lower()
    import idna

    try:
        return idna.encode(host, uts46=True).decode().lower()
    except idna.IDNAError as error:
        raise UsageError(f"{shown} names a host that cannot exist ({error}); check its spelling.") from error


def _escaped(text: str) -> str:
    """Percent-encoding as RFC 3986, section 6.2.2, would have it: only where needed, and in capitals."""

    def one(match: re.Match[str]) -> str:
        code = match[0].upper()
        char = chr(int(code[1:], 16))
        return char if _UNRESERVED.fullmatch(char) else code

    return quote(re.sub("%[0-9A-Fa-f]{2}", one, _LONE.sub("%25", text)), safe=_SAFE)


def _without_dots(path: str) -> str:
    """RFC 3986, section 5.2.4."""
    done: list[str] = []
    parts = path.split("/")[1:] if path.startswith("/") else path.split("/") if path else []
    for position, part in enumerate(parts):
        last = position == len(parts) - 1
        if part == "..":
            if done:
                done.pop()
            if last:
                done.append("")
        elif part == ".":
            if last:
                done.append("")
        else:
            done.append(part)
    return "/" + "/".join(done) if parts else ""


# --- drive url -----------------------------------------------------------------------------------------------------


def url_path(url: str) -> str:
    """The path on drive ``url`` of a normal URL: ``/https/example.com/post?page=2``; one to one.

    What a URL must encode and a file name need not (letters that are not ASCII, spaces) is decoded.
    """
    scheme, rest = url.split("://", 1)
    host, slash, tail = rest.partition("/")
    if not tail:
        return f"/{scheme}/{host}"
    return f"/{scheme}/{host}{slash}{_ESCAPED.sub(_readable, tail)}"


def _readable(match: re.Match[str]) -> str:
    """A run of escapes, decoded where what it says is printable and not ASCII, or a space."""
    try:
        text = unquote(match[0], errors="strict")
    except UnicodeDecodeError:
        return match[0]
    return "".join(
        char if char == " " or (not char.isascii() and char.isprintable()) else quote(char, safe="") for char in text
    )


def url_of(path: str) -> str:
    """The URL of a path on drive ``url``: the inverse of ``url_path``. ``UsageError`` for a path that is none."""
    scheme, _, rest = path.removeprefix("/").partition("/")
    host, slash, tail = rest.partition("/")
    if scheme not in _PORTS or not host:
        raise UsageError(f"url:{path} is no page; its path is like /https/example.com/page.")
    return f"{scheme}://{host}{slash or '/'}{quote(tail, safe=_SAFE)}"


# --- the others ----------------------------------------------------------------------------------------------------


def _github(place: UrlParts) -> tuple[str, str] | None:
    parts = list(place.parts)
    if place.host == "raw.githubusercontent.com" and len(parts) > 3:
        # owner/repo/branch/path, or owner/repo/refs/heads/branch/path
        behind = parts[4:] if parts[2:4] == ["refs", "heads"] else parts[2:]
        parts = [*parts[:2], "blob", *behind]
    elif place.host not in ("github.com", "www.github.com"):
        return None
    if len(parts) < 2 or any("/" in part or part in (".", "..") for part in parts):
        return None
    owner, repo, *rest = parts
    if len(rest) > 2 and rest[0] in ("blob", "raw") and rest[1] in _DEFAULT_BRANCHES and rest[2] not in _SECTIONS:
        rest = rest[2:]  # the file as it is now; others keep what says which they are
    query = urlsplit(place.url).query
    return GITHUB, "/" + "/".join([owner.lower(), repo.removesuffix(".git").lower(), *rest]) + (
        f"?{query}" if query and rest and rest[0] in _SECTIONS else ""
    )


def _google_docs(place: UrlParts) -> tuple[str, str] | None:
    if place.host not in ("docs.google.com", "drive.google.com"):
        return None
    found = _DOCUMENT.match("/" + "/".join(place.parts))
    return (GOOGLE_DOCS, f"/{found[1]}") if found else None


def _url(place: UrlParts) -> tuple[str, str]:
    return URL, url_path(place.url)


@functools.cache
def drive_origins() -> tuple[tuple[str, Origin], ...]:
    """Every origin by name, those of others first; what cannot be loaded is reported and left out."""
    found: list[tuple[str, Origin]] = []
    for entry in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            origin = entry.load()
            if not callable(origin):
                raise TypeError(f"{entry.value} is no function")
        except Exception as error:
            log.warning(
                "The drive %s (%s) cannot be used: %s: %s", entry.name, entry.value, type(error).__name__, error
            )
            continue
        found.append((entry.name, origin))
    return (*found, (GITHUB, _github), (GOOGLE_DOCS, _google_docs))


def detect_drive(url: str, server_name: str = "") -> tuple[str, str]:
    """The drive and path of what a URL names; ``server_name`` is the MCP server that gave it, if one did.

    A page that no origin knows is on drive ``url``. ``UsageError`` for what is no ``http`` or ``https`` URL.
    """
    normal = normal_url(url)
    split = urlsplit(normal)
    parts: Sequence[str] = [_decoded(part) for part in split.path.split("/") if part]
    place = UrlParts(url=normal, host=split.hostname or "", parts=tuple(parts), server=server_name)
    for name, origin in drive_origins():
        try:
            answer = origin(place)
            if answer is None:
                continue
            drive, path = answer
            if is_drive(drive) and drive not in ("disk", "agent", URL) and path.startswith("/") and len(path) > 1:
                return drive, path
            raise ValueError(f"it answered {answer!r}, which is no drive and path")
        except Exception as error:
            log.warning("The drive %s failed on %s: %s: %s", name, normal, type(error).__name__, error)
    return _url(place)


def _decoded(part: str) -> str:
    try:
        return unquote_to_bytes(part).decode()
    except UnicodeDecodeError:
        return part
