-- GROUND: reported tokens that a prompt does not show (kept for an hour, of rounds beside it), costs that a harness states, and totals. Logs that were stored before have none until they are read anew.

ALTER TABLE message ADD COLUMN cache_write_hour_tokens INTEGER;
ALTER TABLE message ADD COLUMN beside_input_tokens INTEGER;
ALTER TABLE message ADD COLUMN beside_cache_read_tokens INTEGER;
ALTER TABLE message ADD COLUMN beside_cache_write_tokens INTEGER;
ALTER TABLE message ADD COLUMN stated_cost INTEGER;                -- millionths of a dollar
ALTER TABLE message ADD COLUMN copied INTEGER;                     -- 1: copied from another log, where it was paid for
ALTER TABLE usage_report ADD COLUMN cache_write_hour_tokens INTEGER;
ALTER TABLE usage_report ADD COLUMN beside_input_tokens INTEGER;
ALTER TABLE usage_report ADD COLUMN beside_cache_read_tokens INTEGER;
ALTER TABLE usage_report ADD COLUMN beside_cache_write_tokens INTEGER;
ALTER TABLE usage_report ADD COLUMN stated_cost INTEGER;           -- millionths of a dollar
ALTER TABLE usage_report ADD COLUMN copied INTEGER;                -- 1: copied from another log, where it was paid for
ALTER TABLE usage_report ADD COLUMN report_of TEXT;                -- null: of the last reply
ALTER TABLE usage_report ADD COLUMN model TEXT;
ALTER TABLE usage_report ADD COLUMN unlogged_tokens INTEGER;
