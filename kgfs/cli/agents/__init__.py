"""Commands for agents: the loop, the sandbox, tools on stored files, what other agents are told."""
