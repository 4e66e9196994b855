//! The engine from outside: how logs are read, each policy, and properties of all policies.
#![allow(clippy::unwrap_used)]

mod common;

mod appends;
mod bands;
mod branch;
mod blame;
mod reacquisition;
mod rewrite;
mod lapse;
mod protocol;
mod annotation;
mod infer;
mod graph;
mod cwl;
mod cwl_plus;
mod window;
mod mask;
mod rules;
mod rules_compaction;
mod rules_pages;
mod fold;
mod summaries;
mod pi_cwl;
mod pi_cwl_names;
mod policies;
mod properties;
mod context;
mod words;
mod work;
mod verify;
mod digest;
mod edit;
mod names;
mod undeclared;
mod quality;
mod recall;
mod compaction;
mod details;
mod survival;
mod oracle;
mod prefix_cache;
mod cache_miss;
