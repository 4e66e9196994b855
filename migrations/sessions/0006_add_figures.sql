-- DERIVED: the figures of a session that a list shows, beside the graph that they belong to, and a view that shows them.
--
-- A build of an earlier version has none; its rows are made anew.

ALTER TABLE build ADD COLUMN n_turns INTEGER;   -- requests that the model answered, on the branch that the session is on
ALTER TABLE build ADD COLUMN tokenizer TEXT;    -- which one counted `tokens`
ALTER TABLE build ADD COLUMN tokens INTEGER;    -- of all texts and images of the log, all branches together

DROP VIEW sessions;
DROP VIEW problems;

-- One row per log. The figures of a build are null until the program has made it.
CREATE VIEW sessions AS
SELECT
  s.id AS source_id,
  s.path,
  s.format,
  s.session,
  coalesce(s.title, s.opening) AS title,
  s.cwd,
  s.model,
  s.read_to AS bytes_read,
  s.n_events,
  s.n_messages,
  s.n_blocks,
  coalesce(u.n_turns, s.n_turns) AS n_turns,
  u.tokens,
  u.tokenizer,
  CASE WHEN u.id IS NOT NULL THEN
    (SELECT count(*) FROM episode AS e
     WHERE e.build_id = u.id AND e.kind <> 'unannotated' AND e.state <> 'vanished')
  END AS n_episodes,
  s.n_marks,
  s.n_problems + (SELECT count(*) FROM diagnostic AS d WHERE d.build_id = u.id) AS n_problems,
  s.n_bytes AS text_bytes,
  strftime('%Y-%m-%dT%H:%M:%SZ', s.first_ms / 1000, 'unixepoch') AS first_at,
  strftime('%Y-%m-%dT%H:%M:%SZ', s.last_ms / 1000, 'unixepoch') AS last_at,
  CASE s.gone WHEN 1 THEN 'source gone' ELSE '' END AS note
FROM source AS s
LEFT JOIN build AS u ON u.source_id = s.id AND u.current = 1 AND u.n_events = s.n_events;

-- Everything odd: about the log and how its records hang together, and about how the protocol was used.
CREATE VIEW problems AS
SELECT source_id, 'log' AS about, line, entry, code, severity, message
FROM problem
UNION ALL
SELECT u.source_id, iif(d.code LIKE 'P%', 'protocol', 'log'), d.line, d.entry, d.code, d.severity, d.message
FROM diagnostic AS d
JOIN build AS u ON u.id = d.build_id
WHERE u.current = 1;
