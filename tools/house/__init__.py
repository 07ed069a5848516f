"""How large the package is, how deep its calls go, and what stands in it twice: `python -m tools.house`."""
