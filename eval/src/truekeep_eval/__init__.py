"""Measuring recall, belief and extraction on sets whose answers are known; docs/how-to/evaluate.md."""
