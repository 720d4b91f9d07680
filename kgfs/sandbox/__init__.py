"""A command in a sandbox that sees a mount: what it sees, what it may use, and how it ends (docs/sandbox.md)."""
