-- GROUND: the part of a reported output that was reasoning, as the provider tells it. Logs that were stored before have none until they are read anew.

ALTER TABLE message ADD COLUMN reasoning_tokens INTEGER;        -- null with the other counts
ALTER TABLE usage_report ADD COLUMN reasoning_tokens INTEGER;   -- null with the other counts
