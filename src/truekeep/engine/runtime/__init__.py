"""What stays open while a memory is used: the handle of a space, and the duties that nobody waits for."""
