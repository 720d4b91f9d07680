"""A language model as a reader: dialogues that ask and check, and what drives them."""
