"""Commands that carry a whole store: exports, imports, backups, snapshots."""
