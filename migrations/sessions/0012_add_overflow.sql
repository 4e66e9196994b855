-- GROUND: replies whose request the provider refused for its length.

DROP VIEW messages;
DROP VIEW blocks;

CREATE TABLE message_wide (
  source_id INTEGER NOT NULL REFERENCES source (id),
  seq       INTEGER NOT NULL,
  place     INTEGER NOT NULL,                 -- within the event, from 0
  role      TEXT    NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  author    TEXT    NOT NULL CHECK (author IN ('human', 'harness', 'model', 'tool')),
  form      TEXT    NOT NULL CHECK (form IN
              ('plain', 'human_shell', 'human_shell_excluded', 'custom', 'summary')),
  form_name TEXT,                             -- custom: the extension's own type name
  model     TEXT,
  input_tokens       INTEGER,                 -- usage as the provider reported it: the first four or none
  output_tokens      INTEGER,
  cache_read_tokens  INTEGER,
  cache_write_tokens INTEGER,
  reasoning_tokens   INTEGER,                 -- these and the next are null in logs that were stored before they were read
  cache_write_hour_tokens   INTEGER,
  beside_input_tokens       INTEGER,
  beside_cache_read_tokens  INTEGER,
  beside_cache_write_tokens INTEGER,
  stated_cost INTEGER,                        -- millionths of a dollar
  copied    INTEGER,                          -- 1: copied from another log, where it was paid for
  outcome   TEXT    NOT NULL CHECK (outcome IN ('complete', 'error', 'overflow', 'aborted')),
  reply     TEXT,                             -- records of one value are one reply written in parts
  n_blocks  INTEGER NOT NULL,
  PRIMARY KEY (source_id, seq, place)
) STRICT, WITHOUT ROWID;

INSERT INTO message_wide (source_id, seq, place, role, author, form, form_name, model, input_tokens, output_tokens,
  cache_read_tokens, cache_write_tokens, reasoning_tokens, cache_write_hour_tokens, beside_input_tokens,
  beside_cache_read_tokens, beside_cache_write_tokens, stated_cost, copied, outcome, reply, n_blocks)
SELECT source_id, seq, place, role, author, form, form_name, model, input_tokens, output_tokens,
  cache_read_tokens, cache_write_tokens, reasoning_tokens, cache_write_hour_tokens, beside_input_tokens,
  beside_cache_read_tokens, beside_cache_write_tokens, stated_cost, copied, outcome, reply, n_blocks
FROM message;

DROP TABLE message;
ALTER TABLE message_wide RENAME TO message;

-- DERIVED: the views over `message`, as they were.

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
