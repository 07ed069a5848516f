-- What may name another item: an erasure asks for it, however many items there are.
CREATE INDEX items_in_doubt ON items (space, id) WHERE instr(body, '"suspected_by"');
CREATE INDEX versions_naming_others ON versions (space)
    WHERE superseded_by IS NOT NULL OR instr(body, '"suspected_by"');
CREATE INDEX answers_naming_others ON answers (space) WHERE superseded != '[]';
