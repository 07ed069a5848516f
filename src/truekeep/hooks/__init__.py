"""A memory for coding agents: the commands that they run at the start of a session, at each prompt and at the end."""
