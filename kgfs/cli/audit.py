"""``kgfs audit``: what was done in the store, by whom, when and with what result."""

from __future__ import annotations

import time
from typing import Any

import click
import msgspec

from kgfs.agentfs.tool_calls import STATUSES, RecordedCall, ToolCalls
from kgfs.cli.agent_file import read_agent, since, timestamp
from kgfs.cli.declaration import Invocation, declare
from kgfs.errors import UsageError
from kgfs.names import one_line


@declare("audit", "Show what was done in the store, by whom and with what result.")
@click.option("--name", help="Only calls of this name, such as `write` or `context_read`.")
@click.option("--status", type=click.Choice(STATUSES), help="Only calls that ended so.")
@click.option(
    "--since", "begin", metavar="TIME", help="Only calls from this time on: 2026-10-30, or 2h for two hours ago."
)
@click.option("--session", help="Only calls of this session.")
@click.option("--limit", type=click.IntRange(min=1), help="At most this many calls.")
@click.option("--stats", is_flag=True, help="Print numbers and durations by name instead.")
def command(
    invocation: Invocation,
    name: str | None,
    status: str | None,
    begin: str | None,
    session: str | None,
    limit: int | None,
    stats: bool,
) -> None:
    """Show the audit trail, latest first: changes, calls of tools and queries.

    It is the table tool_calls of the Agent Filesystem Specification in agent.db in the store. Bodies of files are never
    recorded.
    """
    if stats and (name or status or begin or session or limit):
        raise UsageError("--stats counts all calls; use it alone.")
    start = since(begin, time.time()) if begin is not None else None
    database = read_agent(invocation)
    if database is None:
        return
    with database:
        calls = ToolCalls(database)
        if stats:
            _say_stats(invocation, calls)
            return
        for call in calls.list(name=name, status=status, since=start, session=session, limit=limit):
            if invocation.json:
                invocation.emit(_fields(call))
            else:
                print(invocation.printable(_line(call)))


def _say_stats(invocation: Invocation, calls: ToolCalls) -> None:
    for one in calls.stats():
        if invocation.json:
            invocation.emit(msgspec.structs.asdict(one))
        else:
            line = f"{one.total_calls:>8,}  {one.failed:>6,} failed  {one.avg_duration_ms:>9.1f} ms  {one.name}"
            print(invocation.printable(line))


def _fields(call: RecordedCall) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(call))
    fields["started_at"] = timestamp(call.started_at)
    fields["completed_at"] = timestamp(call.completed_at) if call.status != "pending" else None
    return fields


def _line(call: RecordedCall) -> str:
    took = call.elapsed_us / 1000 if call.elapsed_us is not None else float(call.duration_ms)
    parameters = bytes(call.parameters).decode() if call.parameters is not None else ""
    outcome = f"error: {call.error}" if call.error is not None else call.status
    return one_line(f"{timestamp(call.started_at)}  {took:>9.1f} ms  {call.name}  {outcome}  {parameters}".rstrip())
