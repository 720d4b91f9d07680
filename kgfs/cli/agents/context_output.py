"""What a tool answered, for a person: plain text, a line a thing, and failures as the sentence that says what to do.

Used by ``kgfs.cli.agents.context_tools``. With ``--json`` the value itself is printed.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import msgspec

from kgfs.cli.declaration import Invocation
from kgfs.counting import counted
from kgfs.errors import BY_KIND
from kgfs.names import is_knowledge
from kgfs.tools.sizes import size_text

Value = dict[str, Any]

_STATUS = {"bad_arguments": 2, "bad_patch": 2, "bad_range": 2, "unknown_tool": 2}
_VALUE = r'(?:"(?:[^"\\]|\\.)*"|[^",{}]+)'
_ARGUMENT = re.compile(rf"(\w+):({_VALUE})")
_CALL = re.compile(rf"(?:context|search)_(\w+)\(\{{((?:\w+:{_VALUE}(?:,|(?=\}})))*)\}}\)")
_NAME = re.compile(r"(?<= )(?:context|search)_([a-z_]+)(?=[ .,;]|$)")
"""A tool that is named without arguments, as a word of a sentence and not part of a path."""
_COMMANDS = {
    "list_drives": "list", "create_dir": "mkdir", "dir_size": "size", "count_lines": "count-lines",
    "semantic": "search",
}  # fmt: skip
_OPTIONS = (
    ('on_conflict:"overwrite" (or overwrite:true)', "--overwrite"),
    ('on_conflict:"overwrite"', "--overwrite"),
    ("overwrite:true", "--overwrite"),
    ("recursive:true", "-r"),
    ('kind:"keyword"', "--kind keyword"),
)


def finish(invocation: Invocation, value: Value) -> int:
    """Print a value with ``--json``, or a failure; returns the exit status, 0 where there is something to show."""
    status = 0
    if value["is_error"]:
        kind = value["error_type"]
        status = _STATUS.get(kind) or (BY_KIND[kind].exit_status if kind in BY_KIND else 1)
    if invocation.json:
        invocation.emit(value)
    elif status:
        message = value["message"].rstrip(".")
        invocation.fail(value["error_type"], f"{message}. {hint(value['next_action_hint'])}", status)
    return status


def hint(text: str) -> str:
    """A hint in the words of the command line."""
    text = _NAME.sub(lambda match: f"`kgfs context {_COMMANDS.get(match[1], match[1])}`", _CALL.sub(_command, text))
    for told, typed in _OPTIONS:
        text = text.replace(told, typed)
    return re.sub(r"\b([Cc])all `", lambda match: "Run `" if match[1] == "C" else "run `", text)


def _command(match: re.Match[str]) -> str:
    given = {name: msgspec.json.decode(value) for name, value in _ARGUMENT.findall(match[2])}
    words = ["kgfs context", _COMMANDS.get(match[1], match[1])]
    if "path" in given:
        place = f"{given['drive']}:{given['path']}"
        words.append(place if re.fullmatch(r"[\w./:@%+=-]+", place) else "'" + place.replace("'", "'\\''") + "'")
    if "offset" in given:
        words.append(f"--offset {given['offset']}")
    if given.get("recursive"):
        words.append("-r")
    if given.get("raw"):
        words.append("--raw")
    return f"`{' '.join(words)}`"


# --- values ----------------------------------------------------------------------------------------------------------


def drives(invocation: Invocation, value: Value) -> None:
    """``context list``."""
    if "drives" not in value:
        tree(invocation, value)
        return
    width = max((len(each["drive"]) for each in value["drives"]), default=0) + 2
    for each in value["drives"]:
        files = counted(each["count"], "file")
        more = "  can be written" if each["writable"] else ""
        print(f"{each['drive'] + ':/':<{width}}  {files:>14}  {size_text(each['size']):>9}{more}")
    if value.get("hint"):
        invocation.note(hint(value["hint"]))


def tree(invocation: Invocation, value: Value) -> None:
    """``context tree``."""
    for line in value["tree"].split("\n"):
        print(invocation.printable(line))
    files, directories = value["files"], value["directories"]
    cut = f"; {value['shown']:,} shown, more with -L and --max-entries" if value["truncated"] else ""
    print(
        f"\n{counted(directories, 'directory', 'directories')}, {counted(files, 'file')},"
        f" {size_text(value['size'])}{cut}"
    )


def text(value: Value) -> None:
    """``context read``: the bytes of the lines."""
    sys.stdout.flush()
    sys.stdout.buffer.write(value["content"].encode("utf-8"))


def written(invocation: Invocation, value: Value, soon: str) -> None:
    """``context write``; ``soon`` says when it is searchable, if it ever is."""
    more = f"; {soon}" if value["is_textual"] and is_knowledge(value["path"]) else ""
    invocation.say(f"Wrote {value['ref']}, {size_text(value['size'])}{more}.")


def edited(invocation: Invocation, value: Value) -> None:
    """``context edit``."""
    patches, lines = counted(value["applied"], "patch", "patches"), counted(value["lines"], "line")
    invocation.say(f"Applied {patches} to {value['ref']}, which has {lines} now.")


def deleted(invocation: Invocation, value: Value) -> None:
    """``context delete``."""
    count = value["deleted"]
    what = value["ref"] if count < 2 else f"{value['ref']}, {counted(count, 'file')}"
    invocation.say(f"Deleted {what}.")


def copied(invocation: Invocation, value: Value) -> None:
    """``context copy``."""
    invocation.say(f"Copied {value['source']} to {value['ref']}.")


def moved(invocation: Invocation, value: Value) -> None:
    """``context move``."""
    invocation.say(f"Moved {value['source']} to {value['ref']}.")


def made(invocation: Invocation, value: Value) -> None:
    """``context mkdir``."""
    invocation.say(f"Made {value['ref']}." if value["created"] else f"{value['ref']} was there already.")


def described(invocation: Invocation, value: Value) -> None:
    """``context info``."""
    file = value["file"]
    for key, what in file.items():
        if key in ("drive", "path", "is_directory", "is_textual") or what is None:
            continue
        shown = ("yes" if what else "no") if isinstance(what, bool) else what
        if key == "size":
            shown = f"{what:,} ({size_text(what)})"
        print(f"{key:<11} {invocation.printable(str(shown))}")


def existing(invocation: Invocation, value: Value) -> None:
    """``context exists``."""
    invocation.say(f"{value['ref']} is a {value['kind']}." if value["exists"] else f"Nothing is at {value['ref']}.")


def line_count(value: Value) -> None:
    """``context count-lines``."""
    print(value["lines"])


def size(invocation: Invocation, value: Value) -> None:
    """``context size``."""
    files = counted(value["files"], "file")
    print(f"{value['formatted']}  {files}  {invocation.printable(value['ref'])}")


def refreshed(invocation: Invocation, value: Value) -> None:
    """``context refresh``."""
    if not value["sources"]:
        invocation.note("There is no source; `kgfs add PATH` adds one.")
    for source in value["sources"]:
        counts = [f"{source[name]:,} {name}" for name in ("added", "changed", "moved", "removed") if source.get(name)]
        invocation.say(f"{source['name']}: {', '.join(counts) or 'nothing new'}")
    for warning in value.get("warnings", ()):
        invocation.note(f"  {warning}")


def found(invocation: Invocation, value: Value) -> None:
    """``context search``."""
    for each in value["results"]:
        lines = f":{each['lines'][0]}" if each.get("lines") else ""
        where = f"{each['ref']}{lines}" if each.get("ref") and each["type"] == "chunk" else each["path"]
        snippet = re.sub(r"\s+", " ", each.get("snippet") or "").strip()
        print(f"{invocation.printable(where)}: [{each['score']:.2f}] {invocation.printable(snippet)}")
    invocation.note(f"{len(value['results'])} shown{', more with --top-k' if value['more'] else ''} · {value['mode']}")


def matches(invocation: Invocation, value: Value) -> None:
    """``context grep``."""
    for each in value["matches"]:
        place = f"{each['ref']}:{each['line']}"
        print(f"{invocation.style(invocation.printable(place), fg='magenta')}:{invocation.printable(each['text'])}")
    if value["truncated"]:
        invocation.note(f"{len(value['matches']):,} of {value['total']:,} lines shown; more with --max-results.")
