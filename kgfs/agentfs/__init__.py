"""``agent.db``: a workspace, a key-value store and an audit trail in one SQLite file that other tools can open.

The file follows version 0.4 of the Agent Filesystem Specification (``docs/agentfs.md`` says how, rule by rule).
Nothing here knows the tree, the catalog or the mount.
"""
