"""The MCP servers that the user has set up: a file of the usual form, ``{"mcpServers": {name: …}}``.

Used by the loader process. It is ``mcp.json`` in the XDG configuration directory, or what ``mcp_settings`` of the store
names; it is no part of a store, since it may hold keys.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from kgfs.errors import UsageError
from kgfs.model import prepared
from kgfs.trust import read_own, user_directory

FILE = "mcp.json"

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


class McpServer(msgspec.Struct, kw_only=True, frozen=True):
    """One server: a program that is started (``command``), or one that listens (``url``). What else stands there is of
    other programs and means nothing here."""

    command: str = ""
    args: list[str] = []
    env: dict[str, str] = {}
    cwd: str | None = None
    url: str = ""
    headers: dict[str, str] = {}
    disabled: bool = False
    readOnlyTools: list[str] = []
    """Tools that may be called although they do not say of themselves that they only read."""


class _File(msgspec.Struct, kw_only=True):
    mcpServers: dict[str, McpServer] = {}


def settings_path(chosen: str) -> Path:
    """Where the file is: ``chosen``, else in the user's configuration directory."""
    return Path(chosen).expanduser() if chosen else user_directory() / FILE


def mcp_servers(chosen: str = "") -> dict[str, McpServer]:
    """The servers by name, in the file's order, ``${VARIABLES}`` put in; none where there is no file.

    ``UsageError`` names what is wrong in it, ``RefusedError`` who else may write it. A file that was ``chosen`` must be
    there.
    """
    path = settings_path(chosen)
    try:
        data = read_own(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); fix its permissions, or move it.") from error
    if data is None:
        if chosen:
            raise UsageError(f"There is no {path}; set mcp_settings with `kgfs config` to the file there is.")
        return {}
    try:
        found = msgspec.json.decode(data, type=prepared(_File)).mcpServers
    except msgspec.DecodeError as error:
        raise UsageError(
            f'{path} is not like {{"mcpServers": {{"NAME": {{"command": "…", "args": []}}}}}} ({error}); fix it.'
        ) from error
    servers = {}
    for name, server in found.items():
        if server.disabled:
            continue
        if bool(server.command) == bool(server.url):
            raise UsageError(f"{path}: {name} needs either a command or a url; correct the file.")
        servers[name] = msgspec.convert(_filled(msgspec.to_builtins(server), f"{path}: {name}"), McpServer)
    return servers


def _filled(value: object, where: str) -> object:
    """``${NAME}`` and ``${NAME:-default}`` from the environment."""
    if isinstance(value, dict):
        return {key: _filled(one, where) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, where) for one in value]
    if not isinstance(value, str):
        return value

    def one(match: re.Match[str]) -> str:
        known = os.environ.get(match[1], match[2])
        if known is None:
            raise UsageError(f"{where} needs the variable {match[1]}, which is not set; set it.")
        return known

    return _VARIABLE.sub(one, value)
