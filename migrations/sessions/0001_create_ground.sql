-- GROUND tables: what was read from the logs.
--
-- They are kept, and never rebuilt: a log may be deleted by the program that wrote it, and then these rows are
-- all that is left of it. Everything here follows from the bytes of the logs and from nothing else.
--
-- Migrations are append-only. A file that has been released is never edited; the store records a checksum of
-- each and refuses to open where one has changed.
--
-- Unsigned 64-bit numbers (dev, inode, hashes, token usage) are stored as the signed integer of the same bits.
-- Text of a log may hold NUL characters: length() and LIKE of the shell stop there, reading does not.

-- One log file.
CREATE TABLE source (
  id             INTEGER PRIMARY KEY,
  path           TEXT    NOT NULL UNIQUE,
  format         TEXT    NOT NULL,            -- the adapter's name
  gone           INTEGER NOT NULL DEFAULT 0,  -- 1: the file is not there any more
  generation     INTEGER NOT NULL DEFAULT 0,  -- how often everything read so far became void
  -- How far it was read, and how the file is recognised. Committed together with the rows of the same batch.
  read_to        INTEGER NOT NULL DEFAULT 0,  -- bytes
  dev            INTEGER NOT NULL DEFAULT 0,
  inode          INTEGER NOT NULL DEFAULT 0,
  head_len       INTEGER NOT NULL DEFAULT 0,
  head_hash      INTEGER NOT NULL DEFAULT 0,
  tail_len       INTEGER NOT NULL DEFAULT 0,
  tail_hash      INTEGER NOT NULL DEFAULT 0,
  -- What a list of sessions shows, kept up to date by every batch so that the list reads no other table.
  session        TEXT,
  title          TEXT,
  opening        TEXT,                        -- the beginning of the first text that the human wrote
  cwd            TEXT,
  model          TEXT,                        -- the last one named
  parent_session TEXT,
  n_events       INTEGER NOT NULL DEFAULT 0,
  n_messages     INTEGER NOT NULL DEFAULT 0,
  n_blocks       INTEGER NOT NULL DEFAULT 0,
  n_turns        INTEGER NOT NULL DEFAULT 0,  -- replies of the model, on all branches
  n_marks        INTEGER NOT NULL DEFAULT 0,  -- calls of the delimiter tool
  n_problems     INTEGER NOT NULL DEFAULT 0,
  n_bytes        INTEGER NOT NULL DEFAULT 0,  -- of all block texts
  first_ms       INTEGER,                     -- milliseconds since 1970, by the log's own clock
  last_ms        INTEGER,
  last_reply     TEXT                         -- the reply that the next record may continue
) STRICT;

-- What the adapter needs to go on reading where it stopped; opaque here.
CREATE TABLE reader (
  source_id INTEGER PRIMARY KEY REFERENCES source (id),
  state     BLOB NOT NULL
) STRICT;

-- One record of a log, in file order.
CREATE TABLE event (
  source_id INTEGER NOT NULL REFERENCES source (id),
  seq       INTEGER NOT NULL,                 -- from 0, without gaps
  line      INTEGER NOT NULL,                 -- from 1
  entry     TEXT    NOT NULL,                 -- the record's own id, or L<line>
  parent    TEXT    NOT NULL CHECK (parent IN ('root', 'entry', 'previous', 'outside')),
  parent_entry TEXT,
  at_ms     INTEGER,
  body      TEXT    NOT NULL CHECK (body IN
              ('header', 'message', 'compaction', 'model_change', 'title', 'label', 'quiet', 'opaque')),
  value     TEXT,                             -- model_change: model · title, label: the text · quiet, opaque: record type
  target    TEXT,                             -- label: the marked record
  PRIMARY KEY (source_id, seq)
) STRICT, WITHOUT ROWID;

-- The session's own data, for events with body 'header'.
CREATE TABLE header (
  source_id INTEGER NOT NULL REFERENCES source (id),
  seq       INTEGER NOT NULL,
  session   TEXT,
  version   INTEGER,
  cwd       TEXT,
  parent_session TEXT,
  model     TEXT,
  PRIMARY KEY (source_id, seq)
) STRICT, WITHOUT ROWID;

-- What the harness itself took out, for events with body 'compaction'.
CREATE TABLE compaction (
  source_id     INTEGER NOT NULL REFERENCES source (id),
  seq           INTEGER NOT NULL,
  has_summary   INTEGER NOT NULL,             -- 1: the event's first message is the summary
  keep          TEXT    NOT NULL CHECK (keep IN ('from', 'retained', 'nothing')),
  keep_from     TEXT,
  tokens_before INTEGER,
  PRIMARY KEY (source_id, seq)
) STRICT, WITHOUT ROWID;

-- One message; a compaction may bring several.
CREATE TABLE message (
  source_id INTEGER NOT NULL REFERENCES source (id),
  seq       INTEGER NOT NULL,
  place     INTEGER NOT NULL,                 -- within the event, from 0
  role      TEXT    NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  author    TEXT    NOT NULL CHECK (author IN ('human', 'harness', 'model', 'tool')),
  form      TEXT    NOT NULL CHECK (form IN
              ('plain', 'human_shell', 'human_shell_excluded', 'custom', 'summary')),
  form_name TEXT,                             -- custom: the extension's own type name
  model     TEXT,
  input_tokens       INTEGER,                 -- usage as the provider reported it: all four or none
  output_tokens      INTEGER,
  cache_read_tokens  INTEGER,
  cache_write_tokens INTEGER,
  outcome   TEXT    NOT NULL CHECK (outcome IN ('complete', 'error', 'aborted')),
  reply     TEXT,                             -- records of one value are one reply written in parts
  n_blocks  INTEGER NOT NULL,
  PRIMARY KEY (source_id, seq, place)
) STRICT, WITHOUT ROWID;

-- One content block: metadata only, so that a session is loaded without touching its texts.
CREATE TABLE block (
  source_id INTEGER NOT NULL REFERENCES source (id),
  seq       INTEGER NOT NULL,
  part      INTEGER NOT NULL,                 -- within the event, from 0, over all its messages
  message   INTEGER NOT NULL,                 -- message.place
  idx       INTEGER NOT NULL,                 -- position in the record's own content array
  kind      TEXT    NOT NULL CHECK (kind IN ('text', 'reasoning', 'call', 'result', 'image', 'opaque')),
  images    INTEGER NOT NULL,
  call      TEXT,                             -- call, result: the call's id
  tool      TEXT,                             -- call, result: the tool's name
  program   TEXT,                             -- call: first program of a shell command
  ok        INTEGER,                          -- result: 0 when the tool failed
  text_id   INTEGER NOT NULL REFERENCES text (id),
  PRIMARY KEY (source_id, seq, part)
) STRICT, WITHOUT ROWID;

-- What a delimiter call, or its result, says. A block has at most one.
CREATE TABLE mark (
  source_id   INTEGER NOT NULL REFERENCES source (id),
  seq         INTEGER NOT NULL,
  part        INTEGER NOT NULL,
  action      TEXT    NOT NULL CHECK (action IN ('open', 'close', 'malformed')),
  name        TEXT,
  kind        TEXT    CHECK (kind IN ('expl', 'act')),
  description TEXT,
  n_dependencies INTEGER,                     -- null: no list was given
  odd         TEXT    NOT NULL,               -- fields of a wrong type, comma-separated, in order
  PRIMARY KEY (source_id, seq, part)
) STRICT, WITHOUT ROWID;

-- The dependencies that a mark declares, in order and as written.
CREATE TABLE mark_dependency (
  source_id INTEGER NOT NULL REFERENCES source (id),
  seq       INTEGER NOT NULL,
  part      INTEGER NOT NULL,
  place     INTEGER NOT NULL,
  name      TEXT    NOT NULL,
  PRIMARY KEY (source_id, seq, part, place)
) STRICT, WITHOUT ROWID;

-- Texts of blocks and long payloads, each stored once whatever the number of logs that repeat it.
CREATE TABLE text (
  id      INTEGER PRIMARY KEY,
  hash    BLOB    NOT NULL UNIQUE,            -- BLAKE3 of the text, 32 bytes
  n_bytes INTEGER NOT NULL,                   -- of the text, UTF-8
  codec   INTEGER NOT NULL CHECK (codec IN (0, 1)), -- 0: as it is · 1: one zstd frame
  preview TEXT,                               -- the first 120 characters where `data` is not readable
  data    BLOB    NOT NULL
) STRICT;

-- The log's own JSON of a block (part >= 0), or of the record around its blocks (part = -1), byte for byte.
-- `before` and `after` of a payload with a hole stand one after the other. Short ones stand here, because they
-- differ in ids and times and would never be shared; long ones (images, arguments, copied history) are texts.
CREATE TABLE payload (
  source_id INTEGER NOT NULL REFERENCES source (id),
  seq       INTEGER NOT NULL,
  part      INTEGER NOT NULL,
  n_before  INTEGER,                          -- bytes before the hole; null: there is no hole
  n_bytes   INTEGER NOT NULL,
  codec     INTEGER CHECK (codec IN (0, 1)),
  data      BLOB,
  text_id   INTEGER REFERENCES text (id),
  PRIMARY KEY (source_id, seq, part),
  CHECK ((text_id IS NULL) = (data IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- Which tokenizer, and which implementation of it: counts have changed between releases of one crate.
CREATE TABLE counter (
  id             INTEGER PRIMARY KEY,
  tokenizer      TEXT NOT NULL,
  implementation TEXT NOT NULL,               -- crate and version
  UNIQUE (tokenizer, implementation)
) STRICT;

-- The units of one text by one counter.
CREATE TABLE count (
  counter_id INTEGER NOT NULL REFERENCES counter (id),
  text_id    INTEGER NOT NULL REFERENCES text (id),
  units      INTEGER NOT NULL,
  PRIMARY KEY (counter_id, text_id)
) STRICT, WITHOUT ROWID;

-- What was odd about a log's records.
CREATE TABLE problem (
  source_id   INTEGER NOT NULL REFERENCES source (id),
  place       INTEGER NOT NULL,               -- in the order found, from 0
  line        INTEGER,
  entry       TEXT,
  block_entry TEXT,                           -- both or none
  block_idx   INTEGER,
  code        TEXT    NOT NULL,               -- P001 … (protocol), L001 … (log)
  severity    TEXT    NOT NULL CHECK (severity IN ('info', 'warning', 'error')),
  subject     TEXT,                           -- what the code is about: a name, an id, a field
  amount      INTEGER,
  message     TEXT    NOT NULL,               -- for people; never read back
  PRIMARY KEY (source_id, place)
) STRICT, WITHOUT ROWID;
