"""An open store with all that works on it: ``service`` puts the parts together."""
