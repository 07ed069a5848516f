-- Moments with a name, to go back to. Rows that change after one are filed among `versions`, values here.
CREATE TABLE checkpoints (
    space INTEGER NOT NULL,
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,           -- the last one of the space by then
    value_head INTEGER NOT NULL,    -- and the last version of a value
    at INTEGER NOT NULL,
    forgotten INTEGER NOT NULL,     -- items erased since whose markers are gone
    origin TEXT,                    -- the space that was copied there, whose tombstones count
    checksum INTEGER NOT NULL,
    PRIMARY KEY (space, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX checkpoints_by_seq ON checkpoints (space, seq, name);

-- What stood under a key until the version `ended` of the space's values; NULL: nothing.
CREATE TABLE former_values (
    space INTEGER NOT NULL,
    key TEXT NOT NULL,
    ended INTEGER NOT NULL,
    version INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    expires INTEGER,
    checksum INTEGER NOT NULL,
    value TEXT,                     -- JSON
    PRIMARY KEY (space, key, ended)
) STRICT, WITHOUT ROWID;
CREATE INDEX former_values_by_end ON former_values (space, ended);
CREATE TRIGGER former_values_come AFTER INSERT ON former_values WHEN NEW.value IS NOT NULL BEGIN
    INSERT INTO sizes VALUES (NEW.space, octet_length(NEW.value))
        ON CONFLICT (space) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER former_values_go AFTER DELETE ON former_values WHEN OLD.value IS NOT NULL BEGIN
    UPDATE sizes SET bytes = bytes - octet_length(OLD.value) WHERE space = OLD.space;
END;
