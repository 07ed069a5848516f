"""Measuring recall on questions whose evidence is known, through the public API; docs/reference/evaluation.md."""
