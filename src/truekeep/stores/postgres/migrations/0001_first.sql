-- The first schema, run with the store's schema first in the search path, and with the names of the database's own
-- roles in place of truekeep_tenant and truekeep_keeper. Times are microseconds since 1970-01-01 UTC.
-- Only ever add files here: a schema that was released stays as it was.
--
-- Texts sort by code point (COLLATE "C") whatever the database does, so that every store answers in the same order.
-- `json`, not `jsonb`: what was said comes back as it was, with its order of keys and its numbers.
-- Every row names its tenant, because the second wall (row-level security) must not depend on another table.
-- Rows carry no checksum of their own: damage on the way to the disk is seen by the server's page checksums.

CREATE TABLE meta (
    one int PRIMARY KEY CHECK (one = 1),
    version int NOT NULL,               -- of this schema
    secret bytea NOT NULL               -- keys the fingerprints of statements
);

-- `head` is the last seq of the space; below `floor` erasure markers were purged. Whoever writes into a space locks
-- its row first, so that what is committed later never has a lower seq.
CREATE TABLE spaces (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
    name text COLLATE "C" NOT NULL,
    head bigint NOT NULL DEFAULT 0,
    floor bigint NOT NULL DEFAULT 0,
    value_head bigint NOT NULL DEFAULT 0,
    filed bigint NOT NULL DEFAULT 0,    -- how many former versions were ever filed
    items bigint NOT NULL DEFAULT 0,
    tombstones bigint NOT NULL DEFAULT 0,
    kept_values bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,    -- of items, versions and values
    UNIQUE (tenant, name)
) WITH (fillfactor = 50);               -- room for the next state of a row beside it

CREATE TABLE items (
    tenant text COLLATE "C" NOT NULL,
    space_id bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    content text NOT NULL,
    body json NOT NULL,                 -- kind, tags, metadata, source, pinned, reason, ...
    key text COLLATE "C",
    fingerprint bytea NOT NULL,
    version bigint NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    "when" bigint NOT NULL,
    until bigint,
    retired bigint,
    expires bigint,
    superseded_by text COLLATE "C",
    repeatable boolean NOT NULL,        -- equal statements may stand side by side
    PRIMARY KEY (space_id, id)
) PARTITION BY HASH (space_id);
-- No id is empty. The condition keeps the server from using the index for anything but the questions that repeat it:
-- with poor statistics it would walk through a whole space to find one id.
CREATE INDEX items_by_seq ON items (space_id, seq) WHERE id <> '';
CREATE INDEX items_by_statement ON items (space_id, fingerprint, seq)
    WHERE superseded_by IS NULL AND retired IS NULL AND NOT repeatable;
CREATE INDEX items_by_key ON items (space_id, key, seq) WHERE key IS NOT NULL;
CREATE INDEX items_by_beginning ON items (space_id, key, "when", created, seq) WHERE key IS NOT NULL;
CREATE INDEX items_by_end ON items (space_id, key, until, "when") WHERE key IS NOT NULL;
CREATE INDEX items_by_successor ON items (space_id, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX items_in_doubt ON items (space_id) WHERE (body -> 'suspected_by') IS NOT NULL;
CREATE INDEX items_by_expiry ON items (expires) WHERE expires IS NOT NULL;

-- Former rows of items, as they were.
CREATE TABLE versions (
    tenant text COLLATE "C" NOT NULL,
    space_id bigint NOT NULL,
    filed bigint NOT NULL,              -- in which order
    id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    content text NOT NULL,
    body json NOT NULL,
    key text COLLATE "C",
    fingerprint bytea NOT NULL,
    version bigint NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    "when" bigint NOT NULL,
    until bigint,
    retired bigint,
    expires bigint,
    superseded_by text COLLATE "C",
    repeatable boolean NOT NULL,
    PRIMARY KEY (space_id, filed)
) PARTITION BY HASH (space_id);
CREATE INDEX versions_by_id ON versions (space_id, id);
CREATE INDEX versions_naming_others ON versions (space_id)
    WHERE superseded_by IS NOT NULL OR (body -> 'suspected_by') IS NOT NULL;

-- What is left of an erased item, until it is purged.
CREATE TABLE markers (
    tenant text COLLATE "C" NOT NULL,
    space_id bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (space_id, id)
) PARTITION BY HASH (space_id);
CREATE INDEX markers_by_seq ON markers (space_id, seq) WHERE id <> '';
CREATE INDEX markers_by_age ON markers (at);

CREATE TABLE vectors (
    tenant text COLLATE "C" NOT NULL,
    space_id bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    embedder text COLLATE "C" NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (space_id, id, embedder)
) PARTITION BY HASH (space_id);

CREATE TABLE tombstones (
    tenant text COLLATE "C" NOT NULL,
    space_id bigint NOT NULL,
    fingerprint bytea NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (space_id, fingerprint)
) PARTITION BY HASH (space_id);

CREATE TABLE answers (
    tenant text COLLATE "C" NOT NULL,
    space_id bigint NOT NULL,
    key text COLLATE "C" NOT NULL,      -- the idempotency key
    request text NOT NULL,
    id text COLLATE "C" NOT NULL,
    outcome text NOT NULL,
    superseded text[] NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (space_id, key)
) PARTITION BY HASH (space_id);
CREATE INDEX answers_by_age ON answers (at);
CREATE INDEX answers_by_id ON answers (space_id, id);

CREATE TABLE accesses (
    tenant text COLLATE "C" NOT NULL,
    space_id bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    last bigint NOT NULL,
    PRIMARY KEY (space_id, id)
) PARTITION BY HASH (space_id);

CREATE TABLE kept_values (
    tenant text COLLATE "C" NOT NULL,
    space_id bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    value json NOT NULL,
    version bigint NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    expires bigint,
    PRIMARY KEY (space_id, key)
) PARTITION BY HASH (space_id);
CREATE INDEX kept_values_by_expiry ON kept_values (expires) WHERE expires IS NOT NULL;

-- A snapshot is what its row names: the pieces of that saving.
CREATE TABLE snapshots (
    tenant text COLLATE "C" NOT NULL,
    space_id bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    saving bigint NOT NULL,             -- a random number
    manifest json NOT NULL,             -- {part: [[number, crc32], ...], ...}
    PRIMARY KEY (space_id, name)
) PARTITION BY HASH (space_id);
CREATE TABLE pieces (
    tenant text COLLATE "C" NOT NULL,
    space_id bigint NOT NULL,
    saving bigint NOT NULL,
    number int NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (space_id, saving, number)
) PARTITION BY HASH (space_id);
ALTER TABLE pieces ALTER COLUMN data SET STORAGE EXTERNAL;     -- packed already

-- Few at any time, and claimed across all spaces: one table.
CREATE TABLE jobs (
    tenant text COLLATE "C" NOT NULL,
    space_id bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    added bigint GENERATED ALWAYS AS IDENTITY,
    task text NOT NULL,
    payload json NOT NULL,
    state text NOT NULL,
    attempts bigint NOT NULL,
    result json NOT NULL,
    error text,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    lease bigint NOT NULL,              -- until when it is taken; 0 when it is free
    not_before bigint NOT NULL,         -- after a failure it rests until then
    PRIMARY KEY (space_id, id)
);
CREATE INDEX jobs_open ON jobs (created, added) WHERE state IN ('waiting', 'running');
CREATE INDEX jobs_by_id ON jobs (tenant, id);
CREATE INDEX jobs_over ON jobs (updated) WHERE state IN ('done', 'failed');

CREATE TABLE access_keys (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" PRIMARY KEY,
    digest bytea NOT NULL UNIQUE,       -- SHA-256 of the secret, which is nowhere
    added bigint GENERATED ALWAYS AS IDENTITY,
    name text NOT NULL,
    body json NOT NULL,                 -- scopes, spaces, operator, quotas
    created bigint NOT NULL,
    expires bigint,
    last_used bigint
);
CREATE INDEX access_keys_by_tenant ON access_keys (tenant);

CREATE TABLE usage (
    tenant text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,  -- key:ID or space:NAME
    counter text COLLATE "C" NOT NULL,
    period text COLLATE "C" NOT NULL,   -- 2026-11 or 2026-11-15
    count bigint NOT NULL,
    PRIMARY KEY (tenant, subject, counter, period)
);
CREATE INDEX usage_by_period ON usage (period);

-- For people and other tools: what is remembered, readable. Documented, so it only ever gains columns. Whoever reads
-- it sees the rows of one tenant: SELECT set_config('truekeep.tenant', '...', false).
CREATE VIEW memories WITH (security_invoker = true) AS
SELECT
    s.tenant,
    s.name AS space,
    i.id,
    i.body ->> 'kind' AS kind,
    i.content,
    coalesce(i.body -> 'tags', '[]') AS tags,
    i.body #>> '{source,speaker}' AS speaker,
    i.body #>> '{source,session}' AS session,
    i.body #>> '{source,role}' AS role,
    i.body #>> '{source,name}' AS source,
    coalesce(i.body #>> '{source,trust}', 'user') AS trust,
    i.key,
    coalesce(i.body -> 'metadata', '{}') AS metadata,
    coalesce((i.body ->> 'pinned')::boolean, false) AS pinned,
    i.version,
    timestamptz 'epoch' + i.created * interval '1 microsecond' AS created,
    timestamptz 'epoch' + i.updated * interval '1 microsecond' AS updated,
    timestamptz 'epoch' + i."when" * interval '1 microsecond' AS "when",
    timestamptz 'epoch' + i.until * interval '1 microsecond' AS until,
    timestamptz 'epoch' + i.retired * interval '1 microsecond' AS retired,
    timestamptz 'epoch' + i.expires * interval '1 microsecond' AS expires,
    i.superseded_by,
    i.body ->> 'reason' AS reason,
    i.seq
FROM items AS i JOIN spaces AS s ON s.id = i.space_id AND s.tenant = i.tenant;

-- Partitions by space, and the second wall: whoever does not say in this transaction whose rows it wants sees none.
-- Who sees all must have taken on the keeper's role: being a member of it, as whoever opens the store is, is not enough.
-- A partition has no policy at all, so that nobody gets around its table's.
DO $$
DECLARE
    partitioned text[] := ARRAY['items', 'versions', 'markers', 'vectors', 'tombstones', 'answers', 'accesses',
        'kept_values', 'snapshots', 'pieces'];
    keeper name := (SELECT rolname FROM pg_roles WHERE oid = 'truekeep_keeper'::regrole);
    walled text;
    part text;
BEGIN
    FOREACH walled IN ARRAY partitioned || ARRAY['spaces', 'jobs', 'access_keys', 'usage'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', walled);
        EXECUTE format('CREATE POLICY own_rows ON %I TO truekeep_tenant
            USING (tenant = current_setting(''truekeep.tenant'', true))', walled);
        EXECUTE format('CREATE POLICY all_rows ON %I TO truekeep_keeper USING (current_user = %L)', walled, keeper);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO truekeep_tenant, truekeep_keeper', walled);
    END LOOP;
    FOREACH walled IN ARRAY partitioned LOOP
        FOR number IN 0 .. 15 LOOP
            part := walled || '_' || number;
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, walled,
                number);
            EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', part);
        END LOOP;
    END LOOP;
END $$;
GRANT SELECT ON memories TO truekeep_tenant, truekeep_keeper;
GRANT SELECT ON meta TO truekeep_keeper;
