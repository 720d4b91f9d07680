"""The audit trail: calls in ``tool_calls``, the spool that they wait in, and the files that show them."""
