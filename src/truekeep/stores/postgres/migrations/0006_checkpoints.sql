-- Moments with a name, to go back to. Rows that change after one are filed among `versions`, values here.
CREATE TABLE checkpoints (
    tenant text COLLATE "C" NOT NULL,
    space_id bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,                -- the last one of the space by then
    value_head bigint NOT NULL,         -- and the last version of a value
    at bigint NOT NULL,
    forgotten bigint NOT NULL,          -- items erased since whose markers are gone
    origin text COLLATE "C",            -- the space that was copied there, whose tombstones count
    PRIMARY KEY (space_id, name)
);
CREATE INDEX checkpoints_by_seq ON checkpoints (space_id, seq, name);

-- What stood under a key until the version `ended` of the space's values; NULL: nothing.
CREATE TABLE former_values (
    tenant text COLLATE "C" NOT NULL,
    space_id bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    ended bigint NOT NULL,
    value json,
    version bigint NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    expires bigint,
    PRIMARY KEY (space_id, key, ended)
) PARTITION BY HASH (space_id);
CREATE INDEX former_values_by_end ON former_values (space_id, ended);

DO $$
DECLARE
    keeper name := (SELECT rolname FROM pg_roles WHERE oid = 'truekeep_keeper'::regrole);
    walled text;
    part text;
BEGIN
    FOREACH walled IN ARRAY ARRAY['checkpoints', 'former_values'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', walled);
        EXECUTE format('CREATE POLICY own_rows ON %I TO truekeep_tenant
            USING (tenant = current_setting(''truekeep.tenant'', true))', walled);
        EXECUTE format('CREATE POLICY all_rows ON %I TO truekeep_keeper USING (current_user = %L)', walled, keeper);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO truekeep_tenant, truekeep_keeper', walled);
    END LOOP;
    FOR number IN 0 .. 15 LOOP
        part := 'former_values_' || number;
        EXECUTE format('CREATE TABLE %I PARTITION OF former_values FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part,
            number);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', part);
    END LOOP;
END $$;
