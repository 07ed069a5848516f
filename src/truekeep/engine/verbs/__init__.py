"""The verbs of a memory, one file each: recipes that read from top to bottom."""
