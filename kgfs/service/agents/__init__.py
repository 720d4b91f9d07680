"""What agents and commands do in ``agent.db``: sessions, the workspace, keys, runs, the audit trail."""
