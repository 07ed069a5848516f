-- Spaces that are being copied into this file: what was done so far, until the copy is complete.
CREATE TABLE moves (
    space INTEGER PRIMARY KEY,
    note TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;
