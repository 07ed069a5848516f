-- Whose a statement is: many may say the same, and each says it again for himself. As columns, since under row-level
-- security an index of expressions over JSON is not used.
ALTER TABLE items
    ADD COLUMN source text COLLATE "C" GENERATED ALWAYS AS (coalesce(body -> 'source' ->> 'name', '')) STORED,
    ADD COLUMN speaker text COLLATE "C" GENERATED ALWAYS AS (coalesce(body -> 'source' ->> 'speaker', '')) STORED;
CREATE INDEX items_by_saying ON items (space_id, fingerprint, source, speaker, seq DESC)
    WHERE superseded_by IS NULL AND retired IS NULL AND NOT repeatable;
