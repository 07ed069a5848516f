-- How often an item was recalled on each of the last days, as JSON: {"2026-11-15": 3}. Like the count, a help for people.
ALTER TABLE accesses ADD COLUMN days TEXT NOT NULL DEFAULT '{}';
