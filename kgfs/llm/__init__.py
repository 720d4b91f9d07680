"""A language model as a reader: the client, dialogues that ask and check, what drives them, and what they cost."""
