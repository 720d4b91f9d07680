"""Commands for a person's word on entities and facts."""
