"""Facts of pages: what guides, manuals and leads say of what the page is about."""
