"""What everybody knows and no text explains, as lists: words, given names, places, firms, software. Data only."""
