-- GROUND: what people make. It lives in a file of its own, which is synced at every commit, because nothing
-- can bring it back; and it names logs by path and records by id, so that it survives the other file.

-- A remark on a log, or on one of its records.
CREATE TABLE note (
  id         INTEGER PRIMARY KEY,
  path       TEXT    NOT NULL,
  entry      TEXT,                            -- null: the whole log
  body       TEXT    NOT NULL,
  written_ms INTEGER NOT NULL                 -- milliseconds since 1970
) STRICT;

CREATE INDEX note_path ON note (path);

-- A log that stays on top of the list.
CREATE TABLE pin (
  path      TEXT PRIMARY KEY,
  pinned_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
