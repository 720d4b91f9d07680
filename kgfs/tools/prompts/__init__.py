"""Context for prompts: files that ask to be loaded, skills, and what a model should know before it begins."""
