"""What recall decides: what is found, what it is worth, what stands first, and whether it answers."""
