"""Commands that read sources: add, refresh, follow, remove, wait."""
