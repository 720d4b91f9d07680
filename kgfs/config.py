"""Where stores live and how a store is configured (design, section 3).

Used by the service, the commands and the daemon. Touches the disk only to look for stores and to read and write
``config.json``, the store's and the user's; imports no engine, so that a command starts fast.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

import msgspec

from kgfs import trust
from kgfs.errors import NotFoundError, StoreError, UsageError
from kgfs.nearest import did_you_mean

STORE_DIRECTORY = ".kgfs"
CATALOG = "catalog.duckdb"
VECTORS = "vectors"
SESSIONS = "sessions"
CONFIG = "config.json"
LOG = "mountd.log"
WORKER_LOG = "worker.log"
ERRORS = "errors.jsonl"
SOCKET = "control.sock"

_STORE = msgspec.Meta(extra={"whose": "store"})
_LIMIT = msgspec.Meta(extra={"whose": "limit"})
_USER = msgspec.Meta(extra={"whose": "user"})


class Config(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A store's settings, kept as ``config.json`` in the store. Every field has a default, a meaning and a giver.

    ``_USER`` marks what names a server, a program or a file, or sets a price: there the store's value is a wish
    (``kgfs.trust``). ``_LIMIT`` marks what protects the machine and the money of the user who opens the store.
    """

    embedding_model: Annotated[str, _USER] = "packaged:all-MiniLM-L6-v2"
    """The embedding model: ``packaged:…`` (from a Python package), a path to a model directory, ``onnx:PATH`` for the
    ONNX form in a directory that has other forms too, or the id of a cached model. Change it with `kgfs reembed`."""
    embedding_dimension: Annotated[int, _STORE] = 384
    """Length of its vectors. `kgfs reembed` sets it with the model."""
    embedding_query_prefix: Annotated[str, _STORE] = ""
    """Prefix of every query that is embedded, for a model that needs one and does not declare it (``query: ``)."""
    embedding_passage_prefix: Annotated[str, _STORE] = ""
    """Prefix of every other text that is embedded, for the same models (``passage: ``)."""
    chunk_tokens_min: Annotated[int, _STORE] = 200
    """Minimum length of a passage in tokens; a shorter section is a shorter passage."""
    chunk_tokens_max: Annotated[int, _STORE] = 350
    """Maximum length of a passage in tokens; a longer sentence is a longer passage."""
    chunker: Annotated[Literal["auto", "llm", "structural"], _STORE] = "auto"
    """What cuts texts into passages: ``llm``, ``structural`` (headings and paragraphs), or ``auto``: ``llm`` for texts
    that a language model reads anyway."""
    extractor: Annotated[str, _STORE] = "auto"
    """What extracts entities and facts: ``llm``, ``offline`` (patterns), ``none``, or ``auto``: ``llm`` if there is a
    key, else ``offline``."""
    llm_model: Annotated[str, _USER] = "claude-haiku-5-5"
    """The language model that reads documents, if one does."""
    llm_base_url: Annotated[str, _USER] = ""
    """The server of the language model; if empty, ``$ANTHROPIC_BASE_URL``, else Anthropic's."""
    llm_concurrency: Annotated[int, _LIMIT] = 4
    """Maximum number of concurrent requests to the language model."""
    llm_timeout_seconds: Annotated[float, _STORE] = 120.0
    """Timeout of one request to the language model, in seconds. It is then sent again, ``llm_retries`` times."""
    llm_retries: Annotated[int, _STORE] = 4
    """How often a request is repeated after a timeout or a temporary refusal."""
    llm_glean: Annotated[bool, _STORE] = True
    """Whether the language model gets a second look at a passage after one of its facts was refused."""
    llm_prices: Annotated[dict[str, list[float]], _USER] = {}
    """Prices in US dollars per million tokens: model to input, output, and optionally cache read and cache write (the
    defaults are 0.1 and 1.25 times the input). For models that ``kgfs.llm.prices`` lacks or has wrong."""
    llm_budget_per_day: Annotated[float, _LIMIT] = 0.0
    """Maximum cost of the language model in US dollars per day (UTC), commands and daemon together; 0: no limit."""
    search_limit: Annotated[int, _STORE] = 20
    """Number of hits that `kgfs search` shows without --limit."""
    model_wait_seconds: Annotated[float, _STORE] = 4.0
    """How long a search waits for the embedding model, in seconds. Then it uses keywords alone; ``mode`` says so."""
    search_graph: Annotated[bool, _STORE] = True
    """Whether a search also follows the entities that passages mention (``kgfs.search.graph``)."""
    deadline_seconds: Annotated[float, _STORE] = 10.0
    """Timeout of an operation on the mount, in seconds; it then fails with ETIMEDOUT."""
    history_versions: Annotated[int, _STORE] = 20
    """Number of earlier versions of a file that are kept; 0: none."""
    history_days: Annotated[float, _STORE] = 30.0
    """How long a version is kept after it was replaced, in days."""
    max_text_bytes: Annotated[int, _STORE] = 8 * 1024 * 1024
    """A larger text is stored, but not cut into passages (design, section 2.4)."""
    max_extracted_bytes: Annotated[int, _LIMIT] = 64 * 1024 * 1024
    """Maximum length of the text extracted from a PDF, a workbook or the like, in characters; the rest is dropped."""
    max_unpacked_bytes: Annotated[int, _LIMIT] = 256 * 1024 * 1024
    """A document that is a zip archive is not read if it unpacks to more bytes than this."""
    max_unpacked_ratio: Annotated[int, _LIMIT] = 200
    """A document that is a zip archive is not read if it unpacks to more than this many times its size."""
    max_download_bytes: Annotated[int, _LIMIT] = 32 * 1024 * 1024
    """A larger page is not added (``kgfs add URL``); a larger reply of an MCP server is refused."""
    allow_private_urls: Annotated[bool, _USER] = False
    """Whether pages on this machine and its local network may be added; ``--allow-private`` allows it for one `add`."""
    mcp_settings: Annotated[str, _USER] = ""
    """The file that lists the MCP servers that may load pages; if empty, ``mcp.json`` in the user's configuration."""
    parse_seconds: Annotated[float, _LIMIT] = 300.0
    """Timeout of reading one document, in seconds; it is then stopped and reported."""
    extract_seconds: Annotated[float, _LIMIT] = 120.0
    """Timeout of offline extraction, in seconds per MiB of text. After it, a document has no entities and facts."""
    parse_memory_bytes: Annotated[int, _LIMIT] = 1024 * 1024 * 1024
    """Maximum memory of the process that reads a document; it is then stopped and reported."""


def config_path(store: Path) -> Path:
    return store / CONFIG


def user_config_path() -> Path:
    """The settings that the user gives to every store."""
    return trust.user_directory() / CONFIG


@cache
def whose() -> dict[str, trust.Whose]:
    """The giver of each setting."""
    hints = get_type_hints(Config, include_extras=True)
    return {name: mark.extra["whose"] for name, hint in hints.items() for mark in getattr(hint, "__metadata__", ())}


class Loaded(NamedTuple):
    """The effective settings of a store, and its wishes that are ignored."""

    config: Config
    refused: dict[str, Any]


def load_config(store: Path) -> Config:
    """The settings that hold for a store; defaults where there is no file. ``StoreError`` names what is wrong in one,
    ``RefusedError`` a file of the user's that others may write."""
    return load_settings(store).config


def load_settings(store: Path) -> Loaded:
    """As ``load_config``, with the wishes of the store that are refused."""
    stated = stated_settings(store)
    taken, refused = trust.settle(store, stated, user_settings(), msgspec.to_builtins(Config()), whose())
    return Loaded(msgspec.convert(taken, Config), refused)


def stated_settings(store: Path) -> dict[str, Any]:
    """What the store's own file says, without regard to its author."""
    path = config_path(store)
    try:
        return _decoded(path, path.read_bytes())
    except FileNotFoundError:
        return {}


def user_settings() -> dict[str, Any]:
    """What the user gives to every store."""
    path = user_config_path()
    found = _decoded(path, trust.read_own(path) or b"{}")
    if of_stores := [name for name in found if whose()[name] == "store"]:
        raise StoreError(f"{path} is not valid: {of_stores[0]} is for each store to say; take it out.")
    return found


def _decoded(path: Path, data: bytes) -> dict[str, Any]:
    try:
        whole = msgspec.to_builtins(msgspec.json.decode(data, type=Config))
        return {name: whole[name] for name in msgspec.json.decode(data, type=dict[str, Any])}
    except msgspec.DecodeError as error:
        raise StoreError(f"{path} is not valid ({error}); fix or delete it.") from error


def change_settings(store: Path, values: Mapping[str, Any]) -> None:
    """Give a store settings at the user's wish: what is the user's to give is trusted by that."""
    trust.trust(store, {name: value for name, value in values.items() if whose()[name] != "store"})
    trust.write_json(config_path(store), stated_settings(store) | dict(values))


def change_user_settings(values: Mapping[str, Any]) -> None:
    """Give settings to every store; those that are the default are no longer said."""
    defaults = msgspec.to_builtins(Config())
    left = {name: value for name, value in (user_settings() | dict(values)).items() if value != defaults[name]}
    trust.write_json(user_config_path(), left)


def no_setting(name: str) -> UsageError:
    """The error for a name that is no setting."""
    known = [field.name for field in msgspec.structs.fields(Config)]
    meant = did_you_mean(name, known, f"the settings are {', '.join(known)}.")
    return UsageError(f"There is no setting {name!r}; {meant}")


def parse_option(name: str, value: str) -> Any:
    """The value of one setting from its text form; ``UsageError`` names the settings there are."""
    fields = {field.name: field for field in msgspec.structs.fields(Config)}
    if name not in fields:
        raise no_setting(name)
    if name == "embedding_model":
        value = absolute_model(value)
    elif name == "mcp_settings" and value:
        value = os.path.abspath(os.path.expanduser(value))
    try:
        table = isinstance(fields[name].default_factory, type)  # a dict, written as JSON
        given = msgspec.json.decode(value) if table else value
        return msgspec.to_builtins(msgspec.convert(given, type=fields[name].type, strict=False))
    except msgspec.DecodeError as error:
        raise UsageError(f"{value!r} does not fit {name}: {error}.") from error


def absolute_model(setting: str) -> str:
    """``embedding_model`` as it means the same everywhere: a model's folder, seen from here, by its whole path."""
    form, colon, place = setting.rpartition("onnx:")
    path = Path(place).expanduser()
    return f"{form}{colon}{path.absolute()}" if not form and path.is_dir() else setting


def user_store() -> Path:
    """The store in the XDG data directory, made by the first ``add``."""
    import platformdirs  # here: most commands are told their store

    return Path(platformdirs.user_data_dir("kgfs"))


def is_store(path: Path) -> bool:
    return (path / CATALOG).exists()


def find_store(explicit: str | None, near: Path | None = None) -> Path:
    """The store that a command means: ``--store``, ``$KGFS_STORE``, the nearest ``.kgfs/`` upward, the user's.

    (The store of the mount in which a path lies is found before, by ``kgfs.mounts``.) The answer need not exist yet.
    ``RefusedError`` where the nearest one is not the user's alone: every user who passes by would obey its files.
    """
    chosen = explicit or os.environ.get("KGFS_STORE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    here = (near or Path.cwd()).absolute()
    for directory in (here, *here.parents):
        if _is_found(directory / STORE_DIRECTORY):
            require_own(directory / STORE_DIRECTORY)
            return directory / STORE_DIRECTORY
    return user_store()


def _is_found(path: Path) -> bool:
    try:
        return is_store(path)
    except PermissionError:  # of another user, closed to others
        return True


def require_own(store: Path) -> None:
    """``RefusedError`` unless a store that nobody named is the user's alone, or trusted all the same."""
    trust.require_own(store, (CATALOG, CONFIG))


def require_store(path: Path) -> Path:
    """``path`` if a store is there; else ``NotFoundError`` that says how to make one."""
    if not is_store(path):
        raise NotFoundError(f"There is no store at {path}; make one with `kgfs add PATH` or name it with --store.")
    return path
