"""``kgfs status``: health, mount, index coverage, sources, errors."""

from __future__ import annotations

import re
import time
from datetime import datetime
from typing import Any

import click

from kgfs import mounts
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.progress import duration
from kgfs.cli.screen import Screen, pasted_host
from kgfs.cli.stores import chosen_store, session, short
from kgfs.config import is_store, load_settings, require_store
from kgfs.counting import counted
from kgfs.names import one_line

LABEL = 9
"""Columns of a line's label."""
_BAD = ("Errors", "Vectors")
_GOOD = re.compile(r"\bhealthy$|\b100 %|\bunchanged$|^none$")
_TO_DO = re.compile(
    r"\b\d?\d %|(?:at least )?[\d,]+ (?:files? (?:changed|out of reach)|new|vanished)\b|\bnot there now\b|^no(?=: )"
)
ONE = {"entities": "entity"}
"""Singular forms that are not the word without its s."""


@declare("status")
@click.option("--check", is_flag=True, help="Exit with status 1 unless the store is healthy and its index complete.")
@click.option("--errors", is_flag=True, help="Show failures, files without text, and warnings about others.")
def command(invocation: Invocation, check: bool, errors: bool) -> int:
    """Show the state of the store: health, mount, index, sources with the number of changed files, errors."""
    store = chosen_store(invocation)
    if not is_store(store):
        require_store(store)
    with session(invocation) as opened:
        state = opened.call("status", {"errors": errors, "check": check})
    mounted = mounts.mounts_of(store)
    stale = [mount for mount in mounted if mounts.is_stale(mount)]
    state["ignored"] = load_settings(store).refused
    state["mount"] = _mount(mounted, state) if mounted else None
    if stale:
        state["health"] = f"its daemon ended; kgfs mount {short(stale[0].mountpoint)} brings it back"
        state["healthy"] = False
    if errors:
        _show_errors(invocation, state)
    elif invocation.json:
        invocation.emit(state)
    else:
        screen = Screen(invocation, store)
        for line in _lines(state):
            for shown in _shown(invocation, screen, line, state) if invocation.terminal else [line]:
                print(shown)
    return 1 if check and not (state["healthy"] and state["complete"]) else 0


def _mount(mounted: list[mounts.Mount], state: dict[str, Any]) -> dict[str, Any]:
    return {
        "mountpoint": str(mounted[-1].mountpoint),
        "pid": state["process"]["pid"] if state["process"]["daemon"] else None,
        "since": state["process"]["since"] if state["process"]["daemon"] else None,
        "read_only": "ro" in mounted[-1].options,
    }


def _published(published: dict[str, Any]) -> str:
    """Which snapshot of a published graph is shown, and why no newer one."""
    problem = f": {published['problem']}" if published["problem"] else ""
    return one_line(f"snapshot {published['snapshot']} of {published['address']}, {published['state']}{problem}")


def _lines(state: dict[str, Any]) -> list[str]:
    lines = [f"Store    {short(state['store'])}  {size(state['bytes'])}  {state['health']}"]
    mount = state["mount"]
    if mount is None:
        lines.append("Mounted  no: kgfs mount DIR")
    else:
        pid = (
            f"  pid {mount['pid']}  since {_clock(mount['since'])}" if mount["pid"] else "  its daemon does not answer"
        )
        lines.append(f"Mounted  {short(mount['mountpoint'])}{pid}")
    if (published := state.get("published")) is not None:
        lines.append(f"Shows    {_published(published)}")
    counts = state["counts"]
    held = (counted(number, ONE.get(name, name.removesuffix("s")), name) for name, number in counts.items())
    lines.append(f"Graph    {', '.join(held)}")
    index = state["index"]
    parts = [f"{name} {percent(index[name])}" for name in ("keyword", "vectors")]
    seconds = state.get("seconds_left")
    if seconds:
        parts[-1] += f" ({duration(seconds)} left)"
    extraction = f"extraction {'+'.join(state['extractors']) or 'none'}"
    if index["extraction"]["done"] < index["extraction"]["total"]:
        extraction += f" {percent(index['extraction'])}"
    lines.append("Index    " + "  ".join([*parts, extraction]))
    if state["vectors_problem"]:
        lines.append(f"Vectors  {state['vectors_problem']}")
    if left := waits(state["waiting"]):
        lines.append(f"Waiting  {left}: kgfs wait")
    lines.extend(f"         {text}" for text in state["advice"])
    if wishes := state["ignored"]:
        lines.append(f"Ignored  {', '.join(sorted(wishes))}, protected settings that the store asks for: kgfs trust")
    for number, source in enumerate(state["sources"]):
        lines.append(f"{'Sources' if not number else '':<8} {source_line(source)}")
    jobs = [job for job in state["jobs"] if job["state"] in ("waiting", "running")]
    for number, job in enumerate(jobs):
        lines.append(f"{'Jobs' if not number else '':<8} {job['title']}  {job['state']}")
    if kept := state["textless"]:
        lines.append(f"Kept     {counted(kept, 'file')} without text: kgfs status --errors")
    failed = len(state["errors"])
    lines.append(f"Errors   {failed}: kgfs status --errors" if failed else "Errors   none")
    return lines


def _shown(invocation: Invocation, screen: Screen, line: str, state: dict[str, Any]) -> list[str]:
    """A line as a terminal shows it: in its width, the label apart, good and bad told by colour, places as links."""
    label, text = line[:LABEL], one_line(line[LABEL:])
    bad = (label.strip() in _BAD and text != "none") or (label.startswith("Store") and not state["healthy"])
    shown = screen.paragraph(text, indent=LABEL)
    places = [state["store"], *[source["path"] for source in state["sources"]]]
    if state["mount"] is not None:
        places.append(state["mount"]["mountpoint"])
    for number, part in enumerate(shown):
        part = part[LABEL:]
        if bad:
            part = invocation.style(part, fg="red")
        else:
            part = _TO_DO.sub(lambda found: invocation.style(found.group(), fg="yellow"), part)
            part = _GOOD.sub(lambda found: invocation.style(found.group(), fg="green"), part)
        for place in places:
            part = part.replace(f"{short(place)}  ", f"{screen.on_host(pasted_host(place), place)}  ")
        shown[number] = (invocation.style(label, bold=True) if not number else " " * LABEL) + part
    return shown or [line]


def source_line(source: dict[str, Any]) -> str:
    """A source, its place, and what became of its files."""
    return f"{source['name']}  {short(source['path'])}  {_source_state(source)}"


def _source_state(source: dict[str, Any]) -> str:
    if source["missing"]:
        return f"not there now; what was read from it stays: kgfs source move {source['name']} NEW, if it moved"
    if source["problem"]:
        return f"{counted(source['vanished'], 'file')} out of reach: {source['problem']}"
    seen = []
    if source["changed"]:
        seen.append(f"{counted(source['changed'], 'file')} changed")
    seen += [f"{source[name]:,} {name}" for name in ("new", "vanished") if source[name]]
    refresh = f"kgfs refresh {source['name']}"
    if seen:
        return f"{'' if source['complete'] else 'at least '}{', '.join(seen)}: {refresh}"
    if not source["complete"]:
        return f"{counted(source['items'], 'file')}, not all looked at in time: {refresh}"
    return f"{counted(source['items'], 'file')}, unchanged"


def _show_errors(invocation: Invocation, state: dict[str, Any]) -> None:
    for error in state["errors"]:
        if invocation.json:
            invocation.emit(error)
        else:
            where = error.get("ref") or error.get("path") or error.get("time") or ""
            print(invocation.printable(f"{where}: {error.get('error') or error.get('message')}"))
    for kept in state["kept"]:
        if invocation.json:
            invocation.emit(kept)
        else:
            print(invocation.printable(f"{kept['ref']}: {kept['reason']}"))
    for noted in state["noted"]:
        if invocation.json:
            invocation.emit(noted)
        else:
            print(invocation.printable(f"{noted['ref']}: {noted['note']}"))
    if not state["errors"]:
        told = "no text was found in these" if not state["noted"] else "these were read, or kept, as it says"
        invocation.say(f"No errors; {told}." if state["kept"] or state["noted"] else "No errors.")


def waits(waiting: dict[str, int]) -> str:
    """What is still to be done, or nothing: ``3 written files, 1 removed, 930 documents, topics``."""
    parts = []
    if waiting["files"]:
        parts.append(counted(waiting["files"], "written file"))
    if waiting["removed"]:
        parts.append(f"{waiting['removed']:,} removed")
    # A written file waits as a document too, and one document for keywords and for the extractor.
    documents = max(waiting["texts"], waiting["documents"]) - waiting["files"]
    if documents > 0:
        parts.append(counted(documents, "document"))
    if waiting["vectors"]:
        parts.append(counted(waiting["vectors"], "vector"))
    if waiting["topics"]:
        parts.append("topics")
    return ", ".join(parts)


def percent(part: dict[str, int]) -> str:
    """``38 %``; 100 only when nothing is left."""
    if part["done"] >= part["total"]:
        return "100 %"
    return f"{min(99, part['done'] * 100 // part['total'])} %"


def size(count: int) -> str:
    """``1.2 GB``."""
    number = float(count)
    for unit in ("bytes", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "bytes" or number >= 10 else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def _clock(moment: str) -> str:
    at = datetime.fromisoformat(moment).astimezone()
    return at.strftime("%H:%M") if time.time() - at.timestamp() < 86_400 else at.strftime("%Y-%m-%d %H:%M")
