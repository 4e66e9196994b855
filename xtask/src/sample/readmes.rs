//! What each sample shows, for its folder.

pub(crate) const QUICKSTART: &str = "\
# quickstart

A short session of pi with the delimiter tool: one task and two follow-ups on an
invented feed reader, ten episodes, everything closed. Small enough to read from
beginning to end.
";

pub(crate) const LONG: &str = "\
# long

A week on the same invented feed reader. The history grows to 370,000 tokens without
any compaction, for models whose window holds a million. It shows:

- some ninety episodes, human messages inside of episodes, work outside of them,
  and one episode that is still open at the end (`probe-tokenizer-with-garbage`)
- slips: an act without dependencies (`keys-respect-text-fields`), a dependency on
  an unknown name (`document-search-operators`), a start while another episode is
  open (`check-lagging-hub`), explorations that end without a description
  (`folder-creation-rules`, `peek-at-export`)
- a delimiter call and an edit that were refused, a reply that failed, one that was
  aborted
- a command run by the human, an image in a tool result, a message put in by the
  harness, a change of model, labels, a session name, parallel tool calls
- reported usage that follows the log: every prompt is 4,200 tokens of system prompt
  and tool definitions and the messages up to there; what the request before brought
  is read from the provider's cache, unless more than five minutes lie between them;
  the prices are those of the model
";

pub(crate) const BRANCHES: &str = "\
# branches

A tree instead of a line: the human goes back to before the first attempt
(`branch_summary`), later the harness compacts (`firstKeptEntryId`). The file is
damaged the way real ones are: two records glued together on one line, a record of
an unknown type, an empty line, and a last line that is torn off.
";

pub(crate) const VERSION_1: &str = "\
# v1

The first version of the format: no version in the header, no ids, a compaction that
keeps from an index of the file (`firstKeptEntryIndex`). It is older than the
delimiter tool, so it has no episodes and all of it is prologue.
";

pub(crate) const VERSION_2: &str = "\
# v2

The second version: entries have ids and parents, and messages put in by the harness
have the role `hookMessage`. Two episodes.
";
