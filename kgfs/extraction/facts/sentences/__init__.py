"""Facts that sentences state: by words, by names side by side, by their syntax."""
