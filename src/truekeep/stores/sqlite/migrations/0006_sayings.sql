-- Whose a statement is: many may say the same, and each says it again for himself.
CREATE INDEX items_by_saying ON items (
    space,
    fingerprint,
    coalesce(body ->> '$.source.name', ''),
    coalesce(body ->> '$.source.speaker', ''),
    seq DESC
) WHERE superseded_by IS NULL AND retired IS NULL AND repeatable = 0;
