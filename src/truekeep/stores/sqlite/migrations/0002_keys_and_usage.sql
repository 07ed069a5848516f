-- Access keys, what was used, and how large spaces are.

CREATE TABLE access_keys (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    digest BLOB NOT NULL UNIQUE,    -- SHA-256 of the secret, which is nowhere
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    body TEXT NOT NULL,             -- JSON: scopes, spaces, operator, quotas
    created INTEGER NOT NULL,
    expires INTEGER,
    checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX access_keys_by_tenant ON access_keys (tenant);

-- How many keys there are and the sum of their checksums (the lower 32 bits), so that a lost one is missed.
CREATE TABLE key_tally (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    keys INTEGER NOT NULL,
    keys_sum INTEGER NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;

-- Not checksummed: a wrong time does no harm.
CREATE TABLE key_uses (
    id TEXT PRIMARY KEY,
    last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE usage (
    tenant TEXT NOT NULL,
    subject TEXT NOT NULL,          -- key:ID or space:NAME
    counter TEXT NOT NULL,
    period TEXT NOT NULL,           -- 2026-11 or 2026-11-15
    count INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (tenant, subject, counter, period)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_by_period ON usage (period);

CREATE INDEX jobs_by_id ON jobs (id);

-- Derived: the bytes of items, versions and values of each space, kept by the triggers below.
CREATE TABLE sizes (
    space INTEGER PRIMARY KEY,
    bytes INTEGER NOT NULL
) STRICT;
INSERT INTO sizes
SELECT space, sum(bytes) FROM (
    SELECT space, octet_length(content) + octet_length(body) AS bytes FROM items
    UNION ALL SELECT space, octet_length(content) + octet_length(body) FROM versions
    UNION ALL SELECT space, octet_length(value) FROM kept_values
) GROUP BY space;

CREATE TRIGGER items_come AFTER INSERT ON items BEGIN
    INSERT INTO sizes VALUES (NEW.space, octet_length(NEW.content) + octet_length(NEW.body))
        ON CONFLICT (space) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER items_change AFTER UPDATE ON items
WHEN octet_length(NEW.content) + octet_length(NEW.body) != octet_length(OLD.content) + octet_length(OLD.body) BEGIN
    UPDATE sizes SET bytes = bytes + octet_length(NEW.content) + octet_length(NEW.body)
        - octet_length(OLD.content) - octet_length(OLD.body) WHERE space = NEW.space;
END;
CREATE TRIGGER items_go AFTER DELETE ON items BEGIN
    UPDATE sizes SET bytes = bytes - octet_length(OLD.content) - octet_length(OLD.body) WHERE space = OLD.space;
END;
CREATE TRIGGER versions_come AFTER INSERT ON versions BEGIN
    INSERT INTO sizes VALUES (NEW.space, octet_length(NEW.content) + octet_length(NEW.body))
        ON CONFLICT (space) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER versions_go AFTER DELETE ON versions BEGIN
    UPDATE sizes SET bytes = bytes - octet_length(OLD.content) - octet_length(OLD.body) WHERE space = OLD.space;
END;
CREATE TRIGGER values_come AFTER INSERT ON kept_values BEGIN
    INSERT INTO sizes VALUES (NEW.space, octet_length(NEW.value))
        ON CONFLICT (space) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER values_go AFTER DELETE ON kept_values BEGIN
    UPDATE sizes SET bytes = bytes - octet_length(OLD.value) WHERE space = OLD.space;
END;
