"""Adapters: one module for each framework, thin over `adapters.common`, which knows none of them."""
