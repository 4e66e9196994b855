-- GROUND: what is needed for logs that are not only appended to: rewrites, usage in records of its own,
-- subagents inside their parent's log, trees that parallel calls tear.

DROP VIEW messages;
DROP VIEW blocks;

CREATE TABLE event_wide (
  source_id INTEGER NOT NULL REFERENCES source (id),
  seq       INTEGER NOT NULL,                 -- from 0, without gaps
  line      INTEGER NOT NULL,                 -- from 1
  entry     TEXT    NOT NULL,                 -- the record's own id, or L<line>
  parent    TEXT    NOT NULL CHECK (parent IN ('root', 'entry', 'woven', 'previous', 'outside')),
  parent_entry TEXT,
  at_ms     INTEGER,
  side      INTEGER NOT NULL DEFAULT 0,       -- 1: of a subagent's own conversation
  body      TEXT    NOT NULL CHECK (body IN
              ('header', 'message', 'compaction', 'rewrite', 'usage', 'model_change', 'title', 'label', 'quiet', 'opaque')),
  value     TEXT,                             -- rewrite: cause · model_change: model · title, label: the text · quiet, opaque: record type
  target    TEXT,                             -- label: the marked record
  PRIMARY KEY (source_id, seq)
) STRICT, WITHOUT ROWID;

INSERT INTO event_wide (source_id, seq, line, entry, parent, parent_entry, at_ms, body, value, target)
SELECT source_id, seq, line, entry, parent, parent_entry, at_ms, body, value, target FROM event;

DROP TABLE event;
ALTER TABLE event_wide RENAME TO event;

ALTER TABLE header ADD COLUMN window INTEGER;   -- tokens
ALTER TABLE header ADD COLUMN subagent TEXT;    -- its own name or id, where the log is a subagent's

-- What a rewrite changed, in order, for events with body 'rewrite'.
CREATE TABLE change (
  source_id INTEGER NOT NULL REFERENCES source (id),
  seq       INTEGER NOT NULL,
  place     INTEGER NOT NULL,                 -- from 0
  target    TEXT    NOT NULL CHECK (target IN ('entry', 'results', 'from', 'turns', 'all')),
  name      TEXT,                             -- entry, from: the record · results: the call
  n_turns   INTEGER,                          -- turns: how many
  n_stand_ins INTEGER NOT NULL,               -- of the event's messages, in order
  PRIMARY KEY (source_id, seq, place)
) STRICT, WITHOUT ROWID;

-- What the provider reported, for events with body 'usage'.
CREATE TABLE usage_report (
  source_id INTEGER NOT NULL REFERENCES source (id),
  seq       INTEGER NOT NULL,
  input_tokens       INTEGER,                 -- all four or none
  output_tokens      INTEGER,
  cache_read_tokens  INTEGER,
  cache_write_tokens INTEGER,
  window    INTEGER,                          -- tokens
  PRIMARY KEY (source_id, seq)
) STRICT, WITHOUT ROWID;

-- DERIVED: the views over `event`, as they were.

-- One row per message, in log order.
CREATE VIEW messages AS
SELECT
  e.source_id,
  e.seq,
  m.place,
  e.line,
  e.entry,
  strftime('%Y-%m-%dT%H:%M:%SZ', e.at_ms / 1000, 'unixepoch') AS at,
  e.body,
  m.role,
  m.author,
  m.form,
  m.model,
  m.outcome,
  m.input_tokens,
  m.output_tokens,
  m.cache_read_tokens,
  m.cache_write_tokens,
  m.n_blocks
FROM message AS m
JOIN event AS e ON e.source_id = m.source_id AND e.seq = m.seq;

-- One row per block, in log order, with the beginning of its text.
CREATE VIEW blocks AS
SELECT
  b.source_id,
  b.seq,
  b.part,
  e.line,
  e.entry || ':' || b.idx AS block,
  m.role,
  m.author,
  b.kind,
  b.tool,
  b.call,
  b.ok,
  b.images,
  d.action AS mark,
  d.name AS mark_name,
  t.n_bytes,
  CASE t.codec WHEN 0 THEN CAST(t.data AS TEXT) ELSE t.preview END AS text,
  CASE t.codec WHEN 0 THEN 'raw' ELSE 'zstd' END AS stored
FROM block AS b
JOIN event AS e ON e.source_id = b.source_id AND e.seq = b.seq
JOIN message AS m ON m.source_id = b.source_id AND m.seq = b.seq AND m.place = b.message
JOIN text AS t ON t.id = b.text_id
LEFT JOIN mark AS d ON d.source_id = b.source_id AND d.seq = b.seq AND d.part = b.part;
