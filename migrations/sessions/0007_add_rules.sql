-- GROUND: by which reading rules the rows of a log were made, so that a log is read anew where its format is now read otherwise.

ALTER TABLE source ADD COLUMN rules INTEGER NOT NULL DEFAULT 0;   -- the format's number of them
