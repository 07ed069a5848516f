-- Spaces that are being copied into this database: what was done so far, until the copy is complete.
CREATE TABLE moves (
    tenant text COLLATE "C" NOT NULL,
    space_id bigint PRIMARY KEY,
    note text NOT NULL
);
ALTER TABLE moves ENABLE ROW LEVEL SECURITY;
ALTER TABLE moves FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON moves TO truekeep_tenant USING (tenant = current_setting('truekeep.tenant', true));
DO $$
BEGIN
    EXECUTE format('CREATE POLICY all_rows ON moves TO truekeep_keeper USING (current_user = %L)',
        (SELECT rolname FROM pg_roles WHERE oid = 'truekeep_keeper'::regrole));
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON moves TO truekeep_tenant, truekeep_keeper;

-- An empty store may take over the secret of the one that is copied into it.
GRANT UPDATE (secret) ON meta TO truekeep_keeper;
