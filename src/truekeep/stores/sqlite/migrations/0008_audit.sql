-- Which key did, or was told, what and when: ids, never texts. A space goes by its number, so that its name can go.
CREATE TABLE audit (
    number INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    at INTEGER NOT NULL,
    key TEXT NOT NULL,
    request TEXT,
    verb TEXT NOT NULL,
    space INTEGER,
    outcome TEXT NOT NULL,
    ids TEXT NOT NULL,              -- JSON
    checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_by_tenant ON audit (tenant, at, number);
CREATE INDEX audit_by_request ON audit (tenant, request, at, number) WHERE request IS NOT NULL;
CREATE INDEX audit_by_time ON audit (at);

-- Derived: the entries that name an item.
CREATE TABLE audit_items (
    tenant TEXT NOT NULL,
    item TEXT NOT NULL,
    entry INTEGER NOT NULL,
    PRIMARY KEY (tenant, item, entry)
) STRICT, WITHOUT ROWID;
