-- GROUND: what people make, as in 0001.
--
-- A number of a note is never given again (AUTOINCREMENT): a note that is put back after its removal has the number
-- that it had, and no other note can have taken it meanwhile.

CREATE TABLE new_note (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  path       TEXT    NOT NULL,
  entry      TEXT,                            -- of a block: the record's id
  body       TEXT    NOT NULL,
  written_ms INTEGER NOT NULL,                -- milliseconds since 1970
  block_idx  INTEGER,                         -- of a block: position in the record's own content array
  episode    TEXT,                            -- of an episode: its name, as shown
  CHECK (entry IS NULL OR episode IS NULL),
  CHECK (block_idx IS NULL OR entry IS NOT NULL)
) STRICT;

INSERT INTO new_note (id, path, entry, body, written_ms) SELECT id, path, entry, body, written_ms FROM note;

DROP TABLE note;

ALTER TABLE new_note RENAME TO note;

CREATE INDEX note_path ON note (path);

-- A bookmark: a place in a session and a view of it, which people go back to.
CREATE TABLE saved_view (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  path     TEXT    NOT NULL,
  name     TEXT    NOT NULL,
  query    TEXT    NOT NULL,                  -- as in a link: turn=12&policy=cwl&tau=80k
  saved_ms INTEGER NOT NULL                   -- milliseconds since 1970
) STRICT;

CREATE INDEX saved_view_path ON saved_view (path);
