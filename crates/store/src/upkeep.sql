-- Every statement returns the rows that break a rule, as text; the line above it says what is wrong then.

-- a row names another that is not there
SELECT "table" || ' -> ' || parent FROM pragma_foreign_key_check;

-- a record is missing
SELECT s.id || ': ' || s.n_events || ' records, ' || count(e.seq) || ' rows' FROM source AS s
  LEFT JOIN event AS e ON e.source_id = s.id GROUP BY s.id
  HAVING count(e.seq) <> s.n_events OR coalesce(max(e.seq) + 1, 0) <> s.n_events;

-- a list row miscounts blocks
SELECT s.id FROM source AS s
  WHERE s.n_blocks <> (SELECT count(*) FROM block AS b WHERE b.source_id = s.id);

-- a list row miscounts messages
SELECT s.id FROM source AS s
  WHERE s.n_messages <> (SELECT count(*) FROM message AS m WHERE m.source_id = s.id);

-- a list row miscounts problems
SELECT s.id FROM source AS s
  WHERE s.n_problems <> (SELECT count(*) FROM problem AS p WHERE p.source_id = s.id);

-- a line goes back
SELECT source_id || ':' || seq FROM (SELECT source_id, seq, line,
  lag(line) OVER (PARTITION BY source_id ORDER BY seq) AS before FROM event) WHERE line < before;

-- a message misses blocks
SELECT m.source_id || ':' || m.seq || '.' || m.place FROM message AS m
  WHERE m.n_blocks <> (SELECT count(*) FROM block AS b
  WHERE b.source_id = m.source_id AND b.seq = m.seq AND b.message = m.place);

-- a block has no message
SELECT b.source_id || ':' || b.seq || '.' || b.part FROM block AS b
  WHERE NOT EXISTS (SELECT 1 FROM message AS m
  WHERE m.source_id = b.source_id AND m.seq = b.seq AND m.place = b.message);

-- a block has no payload
SELECT b.source_id || ':' || b.seq || '.' || b.part FROM block AS b
  WHERE NOT EXISTS (SELECT 1 FROM payload AS p
  WHERE p.source_id = b.source_id AND p.seq = b.seq AND p.part = b.part);

-- a record has no payload
SELECT e.source_id || ':' || e.seq FROM event AS e
  WHERE NOT EXISTS (SELECT 1 FROM payload AS p
  WHERE p.source_id = e.source_id AND p.seq = e.seq AND p.part = -1);

-- a log has records but no reader state
SELECT id FROM source
  WHERE n_events > 0 AND id NOT IN (SELECT source_id FROM reader);

-- a build was left behind
SELECT id FROM build WHERE current = 0;

-- the search index is ahead of the texts
SELECT read_to FROM search_build WHERE read_to > (SELECT coalesce(max(id), 0) FROM text);
