-- GROUND: parts of records that a policy at work in the agent took out of the context or put back, and places where it put a text.

CREATE TABLE change_wide (
  source_id INTEGER NOT NULL REFERENCES source (id),
  seq       INTEGER NOT NULL,
  place     INTEGER NOT NULL,                 -- from 0
  target    TEXT    NOT NULL CHECK (target IN
              ('entry', 'part', 'part_back', 'before', 'results', 'from', 'turns', 'all')),
  name      TEXT,                             -- results: the call · before: the record, or null at the end · else: the record
  n_turns   INTEGER,                          -- turns: how many
  part      INTEGER,                          -- part, part_back: the position in the record's own content
  n_stand_ins INTEGER NOT NULL,               -- of the event's messages, in order
  PRIMARY KEY (source_id, seq, place)
) STRICT, WITHOUT ROWID;

INSERT INTO change_wide (source_id, seq, place, target, name, n_turns, n_stand_ins)
SELECT source_id, seq, place, target, name, n_turns, n_stand_ins FROM change;

DROP TABLE change;
ALTER TABLE change_wide RENAME TO change;
