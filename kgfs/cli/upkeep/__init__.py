"""Commands for the store itself: making it, its settings, its health, its vectors."""
