-- DERIVED tables: what the engine makes of the ground tables.
--
-- They may be thrown away at any time. Every set of rows belongs to a build, which carries the version of the
-- rules it was made by and the number of records it was made from. A new build is written beside the current
-- one, takes its place, and the old one goes, all in one transaction.

CREATE TABLE build (
  id        INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES source (id),
  version   INTEGER NOT NULL,                 -- of the rules
  n_events  INTEGER NOT NULL,                 -- records that it was made from
  current   INTEGER NOT NULL CHECK (current IN (0, 1))
) STRICT;

CREATE UNIQUE INDEX build_current ON build (source_id) WHERE current = 1;

-- Nodes of the episode graph, in start order.
CREATE TABLE episode (
  build_id    INTEGER NOT NULL REFERENCES build (id),
  idx         INTEGER NOT NULL,
  name        TEXT    NOT NULL,               -- as shown: name#2 for a second one, ~1 for an unannotated stretch
  kind        TEXT    NOT NULL CHECK (kind IN ('expl', 'act', 'unannotated')),
  state       TEXT    NOT NULL CHECK (state IN ('open', 'closed', 'vanished')),
  cut_off     INTEGER NOT NULL,               -- 1: the start of the next one closed it
  start_seq   INTEGER NOT NULL,               -- its first block
  start_part  INTEGER NOT NULL,
  end_seq     INTEGER,                        -- the call that closed it; both null where none did
  end_part    INTEGER,
  n_blocks    INTEGER NOT NULL,
  first_turn  INTEGER NOT NULL,               -- the first whose request holds a block of it
  closed_turn INTEGER,                        -- the first at which it is closed
  description TEXT,
  PRIMARY KEY (build_id, idx)
) STRICT, WITHOUT ROWID;

-- What acts declare, in declared order. An edge where `upon` is not null; else the name is no exploration that
-- was closed by then. Edges from unannotated stretches follow from the order of starts and are not stored.
CREATE TABLE dependency (
  build_id INTEGER NOT NULL REFERENCES build (id),
  action   INTEGER NOT NULL,                  -- episode.idx
  place    INTEGER NOT NULL,
  name     TEXT    NOT NULL,                  -- as declared
  upon     INTEGER,                           -- episode.idx
  PRIMARY KEY (build_id, action, place)
) STRICT, WITHOUT ROWID;

-- Broken rules of the protocol. Columns as in `problem`.
CREATE TABLE diagnostic (
  build_id    INTEGER NOT NULL REFERENCES build (id),
  place       INTEGER NOT NULL,
  line        INTEGER,
  entry       TEXT,
  block_entry TEXT,
  block_idx   INTEGER,
  code        TEXT    NOT NULL,
  severity    TEXT    NOT NULL CHECK (severity IN ('info', 'warning', 'error')),
  subject     TEXT,
  amount      INTEGER,
  message     TEXT    NOT NULL,
  PRIMARY KEY (build_id, place)
) STRICT, WITHOUT ROWID;
