-- DERIVED: how far the search index has come.
--
-- The index itself is the table `search` (FTS5): the words of the texts of blocks, by text.id, without the texts. The
-- program makes it behind, in small steps, and makes it anew where it is of another version; so no migration
-- makes it. It needs SQLite 3.43 or later to be read.

CREATE TABLE search_build (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL,                   -- of the rules that the index was made by; 0: there is none
  read_to INTEGER NOT NULL                    -- text.id: every text of a block up to it is in the index
) STRICT;

INSERT INTO search_build (one, version, read_to) VALUES (1, 0, 0);

-- From a text to the blocks that say it.
CREATE INDEX block_text ON block (text_id);
