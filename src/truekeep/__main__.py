"""`python -m truekeep` is the program `truekeep`."""

from truekeep.cli.main import main

main()
