-- What a recall reads, as a function: its plan is made once for a connection instead of with each call, which takes
-- longer than the reading. A pooler may stand in between, which a statement that is prepared by name would not survive.
-- The plan is for any space, and leaves out all partitions but one when it is run.
CREATE FUNCTION found(of_space bigint, ids text[])
RETURNS TABLE (
    id text,
    seq bigint,
    content text,
    body json,
    key text,
    fingerprint bytea,
    version bigint,
    created bigint,
    updated bigint,
    "when" bigint,
    until bigint,
    retired bigint,
    expires bigint,
    superseded_by text,
    repeatable boolean,
    accesses bigint
)
LANGUAGE plpgsql STABLE ROWS 10
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT i.*, (SELECT a.count FROM accesses AS a WHERE a.space_id = of_space AND a.id = sought.id)
    FROM unnest(ids) AS sought (id)
    CROSS JOIN LATERAL (
        SELECT id, seq, content, body, key, fingerprint, version, created, updated, "when", until, retired, expires,
            superseded_by, repeatable
        FROM items WHERE space_id = of_space AND items.id = sought.id LIMIT 1
    ) AS i;
END $$;
