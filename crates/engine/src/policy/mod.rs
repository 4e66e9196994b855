//! The policies: one file each, and the registry of all of them. Their interface is in `replay::policy`.

mod auto;
mod cheap_turns;
mod cwl;
mod cwl_plus;
mod dedup;
mod extract;
mod fold;
mod holdings;
mod ladder;
mod mask;
mod none;
mod open_loop;
mod evictable;
mod pages;
mod pi_cwl;
mod presets;
mod registry;
mod running;
mod summary;
mod thinking;
mod tiers;
mod window;

pub use pi_cwl::{PiCwlPass, pi_cwl_pass};
