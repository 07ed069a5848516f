-- The first schema. Times are microseconds since 1970-01-01 UTC. Every `checksum` covers all other columns of its row.
-- Only ever add files here: a schema that was released stays as it was.

CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    secret BLOB NOT NULL,           -- keys the fingerprints of statements
    wipe INTEGER NOT NULL,          -- 1 while erased text may still lie in the log or in unused bytes of pages
    spaces INTEGER NOT NULL,        -- how many spaces there are, and the sum of their identities:
    spaces_sum INTEGER NOT NULL,    -- so that a space that vanished through damage is missed
    checksum INTEGER NOT NULL
) STRICT;

-- `head` is the last seq of the space; below `floor` erasure markers were purged. For each table with rows of the
-- space: how many there are and the sum of their checksums (the lower 32 bits), so that a lost row is missed.
CREATE TABLE spaces (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    identity INTEGER NOT NULL,
    head INTEGER NOT NULL,
    floor INTEGER NOT NULL,
    value_head INTEGER NOT NULL,
    items INTEGER NOT NULL,
    items_sum INTEGER NOT NULL,
    versions INTEGER NOT NULL,
    versions_sum INTEGER NOT NULL,
    tombstones INTEGER NOT NULL,
    tombstones_sum INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    answers_sum INTEGER NOT NULL,
    kept_values INTEGER NOT NULL,
    kept_values_sum INTEGER NOT NULL,
    jobs INTEGER NOT NULL,
    jobs_sum INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    UNIQUE (tenant, name)
) STRICT;

CREATE TABLE items (
    row INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    content TEXT NOT NULL,
    body TEXT NOT NULL,             -- JSON: kind, tags, metadata, source, pinned, reason, reinforced, redacted
    key TEXT,
    fingerprint BLOB,
    version INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    "when" INTEGER NOT NULL,
    until INTEGER,
    retired INTEGER,
    expires INTEGER,
    superseded_by TEXT,
    repeatable INTEGER NOT NULL,    -- 1: equal statements may stand side by side
    checksum INTEGER NOT NULL,
    UNIQUE (space, id)
) STRICT;
CREATE INDEX items_by_seq ON items (space, seq, checksum);
CREATE INDEX items_by_statement ON items (space, fingerprint, seq)
    WHERE superseded_by IS NULL AND retired IS NULL AND repeatable = 0;
CREATE INDEX items_by_key ON items (space, key, seq) WHERE key IS NOT NULL;
CREATE INDEX items_by_beginning ON items (space, key, "when", created, seq) WHERE key IS NOT NULL;
CREATE INDEX items_by_end ON items (space, key, until, "when") WHERE key IS NOT NULL;
CREATE INDEX items_by_successor ON items (space, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX items_by_expiry ON items (expires) WHERE expires IS NOT NULL;

-- Former rows of items, as they were.
CREATE TABLE versions (
    row INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    content TEXT NOT NULL,
    body TEXT NOT NULL,
    key TEXT,
    fingerprint BLOB,
    version INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    "when" INTEGER NOT NULL,
    until INTEGER,
    retired INTEGER,
    expires INTEGER,
    superseded_by TEXT,
    repeatable INTEGER NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX versions_by_id ON versions (space, id);

-- What is left of an erased item, until it is purged.
CREATE TABLE markers (
    space INTEGER NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX markers_by_seq ON markers (space, seq);
CREATE INDEX markers_by_age ON markers (at);

CREATE TABLE vectors (
    space INTEGER NOT NULL,
    id TEXT NOT NULL,
    embedder TEXT NOT NULL,
    data BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (space, id, embedder)
) STRICT, WITHOUT ROWID;

CREATE TABLE tombstones (
    space INTEGER NOT NULL,
    fingerprint BLOB NOT NULL,
    seq INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (space, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE TABLE answers (
    space INTEGER NOT NULL,
    key TEXT NOT NULL,              -- the idempotency key
    request TEXT NOT NULL,
    id TEXT NOT NULL,
    outcome TEXT NOT NULL,
    superseded TEXT NOT NULL,       -- JSON: ids
    at INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX answers_by_age ON answers (at);
CREATE INDEX answers_by_id ON answers (space, id);

-- Not checksummed: a wrong count does no harm, and a lost one is a count of zero.
CREATE TABLE accesses (
    space INTEGER NOT NULL,
    id TEXT NOT NULL,
    count INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE kept_values (
    space INTEGER NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    expires INTEGER,
    checksum INTEGER NOT NULL,
    value TEXT NOT NULL,            -- JSON; last, so that nobody reads a large one to get at the others
    PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX kept_values_by_expiry ON kept_values (expires) WHERE expires IS NOT NULL;

CREATE TABLE jobs (
    row INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    id TEXT NOT NULL,
    task TEXT NOT NULL,
    payload TEXT NOT NULL,          -- JSON
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    result TEXT NOT NULL,           -- JSON
    error TEXT,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    lease INTEGER NOT NULL,         -- until when it is taken; 0 when it is free
    not_before INTEGER NOT NULL,    -- after a failure it rests until then
    checksum INTEGER NOT NULL,
    UNIQUE (space, id)
) STRICT;
CREATE INDEX jobs_open ON jobs (created, row) WHERE state IN ('waiting', 'running');

-- A snapshot counts once its row is here; `pieces` of no snapshot are leftovers.
CREATE TABLE snapshots (
    space INTEGER NOT NULL,
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    manifest TEXT NOT NULL,         -- JSON: [[part, [[piece, crc32], ...]], ...]
    checksum INTEGER NOT NULL,
    PRIMARY KEY (space, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE pieces (
    id INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    started INTEGER NOT NULL,       -- which saving wrote it: a random number
    data BLOB NOT NULL
) STRICT;
CREATE INDEX pieces_by_space ON pieces (space, started);

-- For people and other tools: what is remembered, readable. Documented, so it only ever gains columns.
CREATE VIEW memories AS
SELECT
    s.tenant AS tenant,
    s.name AS space,
    i.id AS id,
    json_extract(i.body, '$.kind') AS kind,
    i.content AS content,
    coalesce(json_extract(i.body, '$.tags'), '[]') AS tags,
    json_extract(i.body, '$.source.speaker') AS speaker,
    json_extract(i.body, '$.source.session') AS session,
    json_extract(i.body, '$.source.role') AS role,
    json_extract(i.body, '$.source.name') AS source,
    coalesce(json_extract(i.body, '$.source.trust'), 'user') AS trust,
    i.key AS key,
    coalesce(json_extract(i.body, '$.metadata'), '{}') AS metadata,
    coalesce(json_extract(i.body, '$.pinned'), 0) AS pinned,
    i.version AS version,
    strftime('%Y-%m-%dT%H:%M:%S', (i.created - (i.created % 1000000 + 1000000) % 1000000) / 1000000, 'unixepoch')
        || printf('.%06dZ', (i.created % 1000000 + 1000000) % 1000000) AS created,
    strftime('%Y-%m-%dT%H:%M:%S', (i.updated - (i.updated % 1000000 + 1000000) % 1000000) / 1000000, 'unixepoch')
        || printf('.%06dZ', (i.updated % 1000000 + 1000000) % 1000000) AS updated,
    strftime('%Y-%m-%dT%H:%M:%S', (i."when" - (i."when" % 1000000 + 1000000) % 1000000) / 1000000, 'unixepoch')
        || printf('.%06dZ', (i."when" % 1000000 + 1000000) % 1000000) AS "when",
    strftime('%Y-%m-%dT%H:%M:%S', (i.until - (i.until % 1000000 + 1000000) % 1000000) / 1000000, 'unixepoch')
        || printf('.%06dZ', (i.until % 1000000 + 1000000) % 1000000) AS until,
    strftime('%Y-%m-%dT%H:%M:%S', (i.retired - (i.retired % 1000000 + 1000000) % 1000000) / 1000000, 'unixepoch')
        || printf('.%06dZ', (i.retired % 1000000 + 1000000) % 1000000) AS retired,
    strftime('%Y-%m-%dT%H:%M:%S', (i.expires - (i.expires % 1000000 + 1000000) % 1000000) / 1000000, 'unixepoch')
        || printf('.%06dZ', (i.expires % 1000000 + 1000000) % 1000000) AS expires,
    i.superseded_by AS superseded_by,
    json_extract(i.body, '$.reason') AS reason,
    i.seq AS seq
FROM items AS i JOIN spaces AS s ON s.id = i.space;
