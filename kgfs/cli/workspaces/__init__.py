"""Commands on ``agent.db``: keys, the workspace, sessions, the audit trail."""
