"""Every tool, described once: for an agent's loop, an MCP server, commands, and ``docs/tools.md``.

Used by ``kgfs.tools.calling``, ``kgfs.agent``, ``kgfs.mcp`` and ``kgfs.cli``. A tool's module is imported when the tool
is called, so listing the tools imports none of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from kgfs.tools import file_parameters, graph_parameters, parameters

if TYPE_CHECKING:
    from kgfs.tools.outcome import Value
    from kgfs.tools.reach import Reach


Kind = Literal["store", "file", "loop"]
Host = Literal["agent", "mcp", "command"]


class Tool(NamedTuple):
    """One tool."""

    name: str
    description: str
    """What a model reads: what it does, when to use it."""
    parameters: type[parameters.Parameters]
    place: str
    """Where its function is: module of ``kgfs.tools`` and name."""
    writes: bool = False
    destructive: bool = False
    """Whether it may delete or replace content."""
    kind: Kind = "store"
    """Where it runs: ``store``, the process that has the store open; ``file`` and ``loop``, the agent's own."""
    offered: frozenset[Host] = frozenset({"agent", "mcp", "command"})
    """Where it is offered: an agent of ours, other agents, ``kgfs context``."""

    def function(self) -> Callable[[Reach, Any], Value]:
        """``(reach, arguments as its struct)`` to its value; may raise a ``KgfsError`` or ``Hinted``."""
        module, _, name = self.place.rpartition(".")
        found: Callable[[Reach, Any], Value] = getattr(importlib.import_module(f"kgfs.tools.{module}"), name)
        return found

    def input_schema(self) -> dict[str, Any]:
        """Its parameters as a JSON schema of an object."""
        (reference,), components = msgspec.json.schema_components([self.parameters], ref_template="#/$defs/{name}")
        schema = components.pop(reference["$ref"].rpartition("/")[2])
        schema.pop("title", None)
        schema.pop("description", None)
        schema.setdefault("required", [])
        return {**schema, **({"$defs": components} if components else {})}

    def described(self) -> dict[str, Any]:
        """Name, description and schema, as the Messages API and MCP want them."""
        return {"name": self.name, "description": self.description, "input_schema": self.input_schema()}


_AGENT: frozenset[Host] = frozenset({"agent"})
_MCP: frozenset[Host] = frozenset({"mcp"})
_BOTH: frozenset[Host] = frozenset({"agent", "mcp"})

_TOOLS = (
    Tool(
        "brief",
        "Begin here: one text on a question, with the entities that it names, their facts, the best passages whole,"
        " and a line on each of the next, all with their paths. Often enough to answer.",
        graph_parameters.BriefParameters, "graph.brief", offered=_BOTH,
    ),
    Tool(
        "search",
        "Search documents, entities, facts and topics by meaning and words, best first. Read what you find before you"
        " rely on it.",
        graph_parameters.SearchParameters, "graph.search", offered=_BOTH,
    ),
    Tool(
        "read",
        "Read a file of the tree: a passage (chunks/by_document/…/content.txt), an entity's summary.txt or"
        " facts/all.jsonl, a fact, a stored file, or a query such as @find/….",
        graph_parameters.ReadParameters, "graph.read", offered=_MCP,
    ),
    Tool(
        "list",
        "List a directory of the tree, e.g. entities/by_name/X/relationships/ACQUIRED: links to other entities.",
        graph_parameters.ListParameters, "graph.listed", offered=_MCP,
    ),
    Tool(
        "grep",
        "Find exact lines by a regular expression: in the passages beneath a directory of the graph, each once, or in"
        " any file.",
        graph_parameters.LinesParameters, "graph.grep", offered=_BOTH,
    ),
    Tool(
        "find",
        "Find entities, facts, passages and topics by properties (type=Organization, min_facts=10, date=2019-10), or"
        " names by a pattern.",
        graph_parameters.FindParameters, "graph.find_paths", offered=_MCP,
    ),
    Tool(
        "sql",
        "Ask the graph in SQL, read-only: counts, tables, joins over entities, facts, documents, chunks, topics.",
        graph_parameters.SqlParameters, "graph.sql", offered=_BOTH,
    ),
    Tool(
        "path",
        "Show how two entities are connected: the shortest chains of facts, links and shared passages, with sources.",
        graph_parameters.PathParameters, "graph.chains", offered=_BOTH,
    ),
    Tool(
        "stat",
        "Describe a path: kind, size, dates, number of entries.",
        graph_parameters.StatParameters, "graph.stat", offered=_MCP,
    ),
    Tool(
        "read_file",
        "Read a file by its path: a page, a passage, a query such as @search/text/QUESTION, a note.",
        file_parameters.ReadFileParameters, "", kind="file", offered=_AGENT,
    ),
    Tool(
        "write_file",
        "Write a whole file where writing is allowed (notes/, workspace/, @kv/); parents are made.",
        file_parameters.WriteFileParameters, "", writes=True, destructive=True, kind="file", offered=_AGENT,
    ),
    Tool(
        "edit_file",
        "Replace a text in a file where writing is allowed.",
        file_parameters.EditFileParameters, "", writes=True, destructive=True, kind="file", offered=_AGENT,
    ),
    Tool("ls", "List a directory.", file_parameters.LsParameters, "", kind="file", offered=_AGENT),
    Tool(
        "glob", "Find files by a pattern of their paths.",
        file_parameters.GlobParameters, "", kind="file", offered=_AGENT,
    ),
    Tool(
        "execute",
        "Run a command in bash, in the sandbox at /kg. Variables and the working directory last over calls. Long"
        " output is cut, and it says where the rest is.",
        file_parameters.ExecuteParameters, "", kind="file", offered=_AGENT,
    ),
    Tool(
        "remember",
        "Keep something for later runs: a short note in context/agent/memories, which is indexed.",
        graph_parameters.RememberParameters, "memory.remember", writes=True, offered=_BOTH,
    ),
    Tool(
        "kv_get", "Read the JSON value of a key.",
        graph_parameters.KeyParameters, "keys.get", offered=_MCP,
    ),
    Tool(
        "kv_set", "Set the JSON value of a key; it lasts, and is not indexed.",
        graph_parameters.SetKeyParameters, "keys.put", writes=True, destructive=True, offered=_MCP,
    ),
    Tool(
        "kv_delete", "Delete a key.",
        graph_parameters.KeyParameters, "keys.delete", writes=True, destructive=True, offered=_MCP,
    ),
    Tool(
        "kv_list", "List keys, all or those that begin with a prefix.",
        graph_parameters.ListKeysParameters, "keys.listed", offered=_MCP,
    ),
    Tool(
        "context_list_drives",
        "List every drive that has content, with counts. A good first call when you do not know what is stored.",
        parameters.NoParameters, "discovery.list_drives",
    ),
    Tool(
        "context_tree",
        "Draw a drive or a directory as a tree; without a drive, list the drives.",
        parameters.TreeParameters, "discovery.tree",
    ),
    Tool(
        "context_read",
        "Read the text of an item, all of it or from a line on; for a PDF, a page or a mail, the extracted text.",
        parameters.ReadParameters, "files.read",
    ),
    Tool(
        "context_write",
        "Write a whole item; missing directories are created. It is indexed within seconds. An existing item is"
        " replaced only if on_conflict is overwrite.",
        parameters.WriteParameters, "files.write", writes=True, destructive=True,
    ),
    Tool(
        "context_edit",
        "Change lines of an item. All patches use the current line numbers of the item (of its body, which context_read"
        " with raw shows). Either all patches are applied or none.",
        parameters.EditParameters, "files.edit", writes=True, destructive=True,
    ),
    Tool(
        "context_delete",
        "Delete an item, or with recursive a directory and everything below it. Versions are kept.",
        parameters.DeleteParameters, "arrangement.delete", writes=True, destructive=True,
    ),
    Tool(
        "context_copy",
        "Copy an item or a directory to another path, on any writable drive.",
        parameters.TransferParameters, "arrangement.copy", writes=True,
    ),
    Tool(
        "context_move",
        "Rename or move an item or a directory, also between writable drives.",
        parameters.TransferParameters, "arrangement.move", writes=True, destructive=True,
    ),
    Tool(
        "context_info",
        "Describe an item: size, lines, type, dates, whether it is indexed.",
        parameters.ItemParameters, "discovery.info",
    ),
    Tool(
        "context_exists",
        "Check whether there is an item or a directory at a path.",
        parameters.ItemParameters, "discovery.exists",
    ),
    Tool(
        "context_count_lines",
        "Count the lines of an item.",
        parameters.ItemParameters, "files.count_lines",
    ),
    Tool(
        "context_create_dir",
        "Create a directory, with its parents.",
        parameters.CreateDirectoryParameters, "arrangement.create_dir", writes=True,
    ),
    Tool(
        "context_dir_size",
        "Return the total size of a directory or a drive.",
        parameters.SizeParameters, "discovery.dir_size",
    ),
    Tool(
        "context_refresh",
        "Read sources again that have changed: all of them, or one place.",
        parameters.RefreshParameters, "origins.refresh", writes=True,
    ),
    Tool(
        "search_semantic",
        "Search documents, entities, facts and topics by meaning and words, best first.",
        parameters.SemanticParameters, "search.search_semantic",
    ),
    Tool(
        "search_grep",
        "Find exact lines in the texts of stored files (also of PDFs and pages) by a regular expression, as grep -E"
        " does.",
        parameters.GrepParameters, "search.search_grep",
    ),
    Tool(
        "context_prompt",
        "Assemble the context of a task, as text for a prompt: the user's standing notes (marked loading: always or"
        " contextual) and the most relevant passages of documents, each with its ref.",
        parameters.PromptParameters, "prompts.prompting.context_prompt",
    ),
    Tool(
        "memory",
        "Look at what earlier runs remembered, and remember what later ones should know: files in /memories.",
        file_parameters.MemoryParameters, "", kind="loop", offered=_AGENT,
    ),
    Tool(
        "answer",
        "Answer the user's question, and end. Every cited path and quote is checked; citations that fail are"
        " returned to you once.",
        file_parameters.AnswerParameters, "", kind="loop", offered=_AGENT,
    ),
)  # fmt: skip

TOOLS: dict[str, Tool] = {tool.name: tool for tool in _TOOLS}
"""By name, in the order in which a model should see them."""
