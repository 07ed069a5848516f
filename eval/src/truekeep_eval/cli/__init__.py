"""The commands of `truekeep eval`."""
