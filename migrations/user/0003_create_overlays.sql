-- GROUND: what people make, as in 0001.

-- An overlay: the episodes of a log as a person or an agent marked them afterwards. A log may have several, by name.
CREATE TABLE overlay (
  path     TEXT    NOT NULL,
  name     TEXT    NOT NULL,
  made_by  TEXT,                              -- who marked it; null: not told
  marks    TEXT    NOT NULL,                  -- JSON in the form of marks: episodes by the lines of the log
  saved_ms INTEGER NOT NULL,                  -- milliseconds since 1970
  PRIMARY KEY (path, name)
) STRICT, WITHOUT ROWID;
