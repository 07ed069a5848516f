"""The same memory for a whole fleet: REST, keys, quotas, and the wire of four other services."""
