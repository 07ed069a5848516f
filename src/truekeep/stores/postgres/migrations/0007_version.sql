-- Whoever writes looks first whether a newer program has migrated the store meanwhile.
GRANT SELECT (version) ON meta TO truekeep_tenant;
