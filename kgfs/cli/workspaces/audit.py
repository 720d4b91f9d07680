"""``kgfs audit``: what was done in the store, by whom, when and with what result."""

from __future__ import annotations

import time

import click
import msgspec

from kgfs.agentfs.audit.call_lines import call_fields, timestamp
from kgfs.agentfs.audit.recording import waits
from kgfs.agentfs.audit.tool_calls import STATUSES, RecordedCall, ToolCalls
from kgfs.cli.declaration import Invocation, SharedOptions, declare, shared_options
from kgfs.cli.stores import session
from kgfs.cli.workspaces.agent_file import read_agent, since, store_of
from kgfs.counting import counted
from kgfs.errors import UsageError
from kgfs.names import one_line


class _Audit(SharedOptions, click.Group):
    """The command, which shows the trail, with what else can be done to that."""


@click.pass_context
def _show(
    context: click.Context,
    name: str | None,
    status: str | None,
    begin: str | None,
    of_session: str | None,
    limit: int | None,
    stats: bool,
    archived: bool,
) -> None:
    given = name or status or begin or of_session or limit or archived
    if context.invoked_subcommand is not None:
        if given or stats:
            raise UsageError(f"Options of kgfs audit do not go with {context.invoked_subcommand}; leave them out.")
        return
    if stats and given:
        raise UsageError("--stats counts all calls that are not archived; use it alone.")
    invocation: Invocation = context.obj
    start = since(begin, time.time()) if begin is not None else None
    if waits(store_of(invocation)):
        with session(invocation) as store:
            store.call("audit-settle", {})
    database = read_agent(invocation)
    if database is None:
        return
    with database:
        calls = ToolCalls(database)
        if stats:
            _say_stats(invocation, calls)
            return
        found = calls.list(name=name, status=status, since=start, session=of_session, limit=limit, archived=archived)
        for call in found:
            if invocation.json:
                invocation.emit(call_fields(call))
            else:
                print(invocation.printable(_line(call)))


command = _Audit(
    name="audit",
    callback=_show,
    invoke_without_command=True,
    subcommand_metavar="[archive]",
    help="""Show the audit trail, latest first: changes, calls of tools and queries.

    It is the table tool_calls of the Agent Filesystem Specification in agent.db in the store; @audit in a mount shows
    it as files. Bodies of files are never recorded.
    """,
    short_help="Show what was done in the store, by whom and with what result.",
    params=[
        click.Option(["--name"], help="Only calls of this name, such as `write` or `context_read`."),
        click.Option(["--status"], type=click.Choice(STATUSES), help="Only calls that ended so."),
        click.Option(
            ["--since", "begin"], metavar="TIME",
            help="Only calls from this time on: 2026-10-30, or 2h for two hours ago.",
        ),
        click.Option(["--session", "of_session"], help="Only calls of this session."),
        click.Option(["--limit"], type=click.IntRange(min=1), help="At most this many calls."),
        click.Option(["--stats"], is_flag=True, help="Print numbers and durations by name instead."),
        click.Option(["--archived"], is_flag=True, help="Show the calls in the archive instead."),
        *shared_options(),
    ],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)  # fmt: skip


@declare("archive")
@click.option(
    "--before", metavar="TIME", required=True,
    help="Move calls that began before this time: 2026-10-30, or 90d for 90 days ago.",
)  # fmt: skip
def _archive(invocation: Invocation, before: str) -> None:
    """Move old calls into the archive, the table tool_calls_archive in agent.db.

    Nothing of them is lost: `kgfs audit --archived` shows them. @audit and the statistics leave them out.
    """
    moment = since(before, time.time())
    store_of(invocation)
    with session(invocation) as store:
        moved = store.call("audit-archive", {"before": moment})["archived"]
    if invocation.json:
        invocation.emit({"archived": moved, "before": timestamp(moment)})
    else:
        invocation.say(f"Archived {counted(moved, 'call')} from before {timestamp(moment)}.")


command.add_command(_archive)


def _say_stats(invocation: Invocation, calls: ToolCalls) -> None:
    for one in calls.stats():
        if invocation.json:
            invocation.emit(msgspec.structs.asdict(one))
        else:
            line = f"{one.total_calls:>8,}  {one.failed:>6,} failed  {one.avg_duration_ms:>9.1f} ms  {one.name}"
            print(invocation.printable(line))


def _line(call: RecordedCall) -> str:
    took = call.elapsed_us / 1000 if call.elapsed_us is not None else float(call.duration_ms)
    parameters = bytes(call.parameters).decode() if call.parameters is not None else ""
    outcome = f"error: {call.error}" if call.error is not None else call.status
    return one_line(f"{timestamp(call.started_at)}  {took:>9.1f} ms  {call.name}  {outcome}  {parameters}".rstrip())
