-- DERIVED: views for people with the sqlite3 shell. The program does not read them.
--
--   sqlite3 -readonly sessions.sqlite 'SELECT * FROM sessions'
--
-- Texts over 128 bytes are zstd frames, which the shell cannot read: `text` then holds the first 120
-- characters, and `stored` says `zstd`.

-- One row per log.
CREATE VIEW sessions AS
SELECT
  id AS source_id,
  path,
  format,
  session,
  coalesce(title, opening) AS title,
  cwd,
  model,
  read_to AS bytes_read,
  n_events,
  n_messages,
  n_blocks,
  n_turns,
  n_marks,
  n_problems,
  n_bytes AS text_bytes,
  strftime('%Y-%m-%dT%H:%M:%SZ', first_ms / 1000, 'unixepoch') AS first_at,
  strftime('%Y-%m-%dT%H:%M:%SZ', last_ms / 1000, 'unixepoch') AS last_at,
  CASE gone WHEN 1 THEN 'source gone' ELSE '' END AS note
FROM source;

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

-- One row per episode of the current build.
CREATE VIEW episodes AS
SELECT
  u.source_id,
  e.idx AS episode,
  e.name,
  e.kind,
  e.state,
  e.start_seq,
  e.start_part,
  e.end_seq,
  e.end_part,
  e.n_blocks,
  e.first_turn,
  e.closed_turn,
  e.description
FROM episode AS e
JOIN build AS u ON u.id = e.build_id
WHERE u.current = 1 AND e.state <> 'vanished';

-- One row per declared dependency of the current build: `action` draws on `upon`.
CREATE VIEW dependencies AS
SELECT
  u.source_id,
  a.name AS action,
  d.name AS declared,
  o.name AS upon,
  CASE WHEN d.upon IS NULL THEN 'dropped' ELSE 'kept' END AS edge
FROM dependency AS d
JOIN build AS u ON u.id = d.build_id
JOIN episode AS a ON a.build_id = d.build_id AND a.idx = d.action
LEFT JOIN episode AS o ON o.build_id = d.build_id AND o.idx = d.upon
WHERE u.current = 1;

-- Everything odd: about the log, and about how the protocol was used.
CREATE VIEW problems AS
SELECT source_id, 'log' AS about, line, entry, code, severity, message
FROM problem
UNION ALL
SELECT u.source_id, 'protocol', d.line, d.entry, d.code, d.severity, d.message
FROM diagnostic AS d
JOIN build AS u ON u.id = d.build_id
WHERE u.current = 1;
