"""What an agent can call on stored files; the same calls are the commands of ``kgfs context``."""
