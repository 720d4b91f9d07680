"""Snapshots of a published graph: made to be published, fetched, followed."""
