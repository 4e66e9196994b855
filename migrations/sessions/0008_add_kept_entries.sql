-- GROUND: compactions that keep some records of the history before them, each by its id.

CREATE TABLE compaction_wide (
  source_id     INTEGER NOT NULL REFERENCES source (id),
  seq           INTEGER NOT NULL,
  has_summary   INTEGER NOT NULL,             -- 1: the event's first message is the summary
  keep          TEXT    NOT NULL CHECK (keep IN ('from', 'entries', 'retained', 'nothing')),
  keep_from     TEXT,
  tokens_before INTEGER,
  PRIMARY KEY (source_id, seq)
) STRICT, WITHOUT ROWID;

INSERT INTO compaction_wide (source_id, seq, has_summary, keep, keep_from, tokens_before)
SELECT source_id, seq, has_summary, keep, keep_from, tokens_before FROM compaction;

DROP TABLE compaction;
ALTER TABLE compaction_wide RENAME TO compaction;

-- The records that stay, for compactions with keep 'entries'.
CREATE TABLE kept_entry (
  source_id INTEGER NOT NULL REFERENCES source (id),
  seq       INTEGER NOT NULL,
  place     INTEGER NOT NULL,                 -- from 0
  entry     TEXT    NOT NULL,
  PRIMARY KEY (source_id, seq, place)
) STRICT, WITHOUT ROWID;
