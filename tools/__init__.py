"""Programs for those who work on Truekeep; nothing of them is in the wheel."""
