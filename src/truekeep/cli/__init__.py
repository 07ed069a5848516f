"""The command line: translates words of the shell into calls of the `Memory` handle, and decides nothing."""
