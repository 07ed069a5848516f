"""Measures Truekeep and prints a table: `make bench`, or `python -m benchmarks --quick`.

All data is made here from a fixed seed (`corpus`, `sentences`); files live in a temporary folder and are shared by
the cases of one run (`workbench`). Each case is a generator of results (`recalling`, `remembering`, ...).
"""
