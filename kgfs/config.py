"""Where stores live and how a store is configured (design, section 3).

Used by the service, the commands and the daemon. Touches the disk only to look for stores and to read and write
``config.json``; imports no engine, so that a command starts fast.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import msgspec

from kgfs.errors import NotFoundError, StoreError, UsageError

STORE_DIRECTORY = ".kgfs"
CATALOG = "catalog.duckdb"
VECTORS = "vectors"
CONFIG = "config.json"
LOG = "mountd.log"
ERRORS = "errors.jsonl"
SOCKET = "control.sock"


class Config(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A store's settings, kept as ``config.json`` in the store; every field has a default and a meaning."""

    embedding_model: str = "packaged:all-MiniLM-L6-v2"
    """``packaged:…`` (comes with a Python package), a path to a model directory, or a model id that is cached;
    ``onnx:PATH`` is a directory's ONNX form where it has others too. `kgfs reembed` changes it with its dimension."""
    embedding_dimension: int = 384
    embedding_query_prefix: str = ""
    """What stands before a query that is embedded, for a model that wants it and does not declare it (``query: ``)."""
    embedding_passage_prefix: str = ""
    """And before everything else that is embedded (``passage: ``)."""
    chunk_tokens_min: int = 200
    chunk_tokens_max: int = 350
    chunker: Literal["auto", "llm", "structural"] = "auto"
    """What cuts texts into chunks: a language model (``auto``: where one reads them, too), or their structure alone."""
    extractor: str = "auto"
    """``auto`` (``llm`` where there is a key, else ``offline``), ``llm``, ``offline``, ``none``."""
    llm_model: str = "claude-haiku-5-5"
    """The language model that reads where ``extractor`` is ``llm`` (or ``auto`` and there is a key)."""
    llm_base_url: str = ""
    """The server that has it, where that is not Anthropic's; ``$ANTHROPIC_BASE_URL`` where this is empty."""
    llm_concurrency: int = 4
    """How many requests to it are under way at once."""
    llm_timeout_seconds: float = 120.0
    """One answer takes no longer; then it is asked for again, ``llm_retries`` times."""
    llm_retries: int = 4
    llm_glean: bool = True
    """Whether a passage that gave many facts is shown to it once more, with what was found."""
    llm_prices: dict[str, list[float]] = {}
    """US dollars a million tokens, by model: input, output, and if they differ from Anthropic's shares (a tenth, five
    quarters of input) reading and writing the cache. For a model that ``kgfs.models.prices`` has not or has wrong."""
    llm_budget_per_day: float = 0.0
    """US dollars that all runs together may spend on it in a day (UTC), the daemon's own too; 0 is no bound."""
    search_limit: int = 20
    model_wait_seconds: float = 4.0
    """How long a search waits for the model before it answers by keyword alone, which ``mode`` then says."""
    search_graph: bool = True
    """Whether a search looks for passages by way of the entities that they mention, too (``kgfs.search.graph``)."""
    deadline_seconds: float = 10.0
    """No operation on the mount takes longer; it ends with ETIMEDOUT."""
    history_versions: int = 20
    """How many earlier versions of a file are kept; 0 keeps none."""
    history_days: float = 30.0
    """For how long a version is kept after something else took its place."""
    max_text_bytes: int = 8 * 1024 * 1024
    """Text beyond this is kept and not chunked (design, section 2.4)."""
    max_extracted_bytes: int = 64 * 1024 * 1024
    """Of the text that is taken from a PDF, a workbook and the like, at most so much (in characters) is kept."""
    max_unpacked_bytes: int = 256 * 1024 * 1024
    """A document that is a zip archive is refused when unpacking it adds more than this."""
    max_unpacked_ratio: int = 200
    """And when it unpacks to more than this many times its size."""
    max_download_bytes: int = 32 * 1024 * 1024
    """A page that is larger is not added (``kgfs add URL``); nor is more taken from an MCP server at once."""
    allow_private_urls: bool = False
    """Whether pages on this machine and its network may be added, too; else ``--allow-private`` allows it once."""
    mcp_settings: str = ""
    """The file with the MCP servers that may load pages; empty: ``mcp.json`` in the user's configuration directory."""
    parse_seconds: float = 300.0
    """Reading one document takes no longer; then it is stopped and reported."""
    parse_memory_bytes: int = 3 * 1024 * 1024 * 1024
    """Reading one document takes no more memory; then it is stopped and reported."""


def config_path(store: Path) -> Path:
    return store / CONFIG


def load_config(store: Path) -> Config:
    """The settings of a store; defaults where there is no file. ``StoreError`` names what is wrong in it."""
    try:
        data = config_path(store).read_bytes()
    except FileNotFoundError:
        return Config()
    try:
        return msgspec.json.decode(data, type=Config)
    except msgspec.DecodeError as error:
        raise StoreError(f"{config_path(store)} is not valid ({error}); mend or delete it.") from error


def save_config(store: Path, config: Config) -> None:
    """Write the settings atomically."""
    target = config_path(store)
    temporary = target.with_name(target.name + ".new")
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(config), indent=2) + b"\n")
    os.replace(temporary, target)


def set_option(config: Config, name: str, value: str) -> Config:
    """``config`` with one setting changed from its text form; ``UsageError`` names the settings there are."""
    fields = {field.name: field for field in msgspec.structs.fields(Config)}
    if name not in fields:
        raise UsageError(f"There is no setting {name!r}; the settings are {', '.join(fields)}.")
    try:
        table = isinstance(fields[name].default_factory, type)  # a dict, written as JSON
        given = msgspec.json.decode(value) if table else value
        converted: Any = msgspec.convert(given, type=fields[name].type, strict=False)
    except msgspec.DecodeError as error:
        raise UsageError(f"{value!r} does not fit {name}: {error}.") from error
    return msgspec.structs.replace(config, **{name: converted})


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
    """
    chosen = explicit or os.environ.get("KGFS_STORE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    here = (near or Path.cwd()).absolute()
    for directory in (here, *here.parents):
        if is_store(directory / STORE_DIRECTORY):
            return directory / STORE_DIRECTORY
    return user_store()


def require_store(path: Path) -> Path:
    """``path`` if a store is there; else ``NotFoundError`` that says how to make one."""
    if not is_store(path):
        raise NotFoundError(f"There is no store at {path}; make one with `kgfs add PATH` or name it with --store.")
    return path
