//! Public sets of session logs for a trial: what they hold, under which licence, and the lines that get them.

use crate::out::{Failure, Stdout};

struct PublicSet {
    name: &'static str,
    holds: &'static str,
    licence: &'static str,
    /// Outcomes of the tasks, if the set has any.
    outcomes: &'static str,
    lines: &'static [&'static str],
}

/// A set of the tool Entire: a branch with a snapshot of the session at each commit.
const SNAPSHOTS: &str = "files `full.jsonl`, several snapshots of one session; keep the largest of each";

/// Looked up on 2026-11-30.
const PUBLIC_SETS: &[PublicSet] = &[
    PublicSet {
        name: "SWEContextBench, past experience",
        holds: "300 logs of Claude Code, one for each task of SWE-bench Lite",
        licence: "none; the owner keeps all rights",
        outcomes: "none for these logs",
        lines: &[
            "git clone https://github.com/jiayuanz3/SWEContextBench",
            "git -C SWEContextBench checkout 31bb04155f52b184bf31b220e3cff0607ac9c953",
            "cwl trial 'SWEContextBench/cases/SWEContextBench Lite Past Experience' --out trial",
        ],
    },
    PublicSet {
        name: "entireio/cli",
        holds: SNAPSHOTS,
        licence: "MIT",
        outcomes: "none",
        lines: &[
            "git clone --bare --branch entire/checkpoints/v1 --single-branch https://github.com/entireio/cli",
        ],
    },
    PublicSet {
        name: "Avyukth/cli",
        holds: SNAPSHOTS,
        licence: "MIT",
        outcomes: "none",
        lines: &[
            "git clone --bare --branch entire/checkpoints/v1 --single-branch https://github.com/Avyukth/cli Avyukth-cli.git",
        ],
    },
    PublicSet {
        name: "EntityProcess/agentv",
        holds: SNAPSHOTS,
        licence: "MIT",
        outcomes: "none",
        lines: &[
            "git clone --bare --branch entire/checkpoints/v1 --single-branch https://github.com/EntityProcess/agentv",
        ],
    },
    PublicSet {
        name: "FSM1/cipher-box",
        holds: SNAPSHOTS,
        licence: "MIT",
        outcomes: "none",
        lines: &[
            "git clone --bare --branch entire/checkpoints/v1 --single-branch https://github.com/FSM1/cipher-box",
        ],
    },
    PublicSet {
        name: "PackmindHub/context-evaluator",
        holds: SNAPSHOTS,
        licence: "Apache-2.0",
        outcomes: "none",
        lines: &[
            "git clone --bare --branch entire/checkpoints/v1 --single-branch https://github.com/PackmindHub/context-evaluator",
        ],
    },
    PublicSet {
        name: "harbor-trajectories",
        holds: "349 files `trajectory.json` of Terminus 2 and mini-SWE-agent, most of about ten steps",
        licence: "none; the owner keeps all rights",
        outcomes: "`verifier/reward.txt` beside most of them",
        lines: &[
            "git clone https://github.com/refreshdotdev/harbor-trajectories",
            "git -C harbor-trajectories checkout 22dafa68f53b0e20b8818510116d18a3a58fcd73",
        ],
    },
    PublicSet {
        name: "nebius/SWE-rebench-openhands-trajectories",
        holds: "67,074 trajectories of OpenHands with Qwen3-Coder-480B-A35B-Instruct, in Parquet",
        licence: "CC BY 4.0",
        outcomes: "the column `resolved`: 32,161 solved",
        lines: &[
            "hf download nebius/SWE-rebench-openhands-trajectories --repo-type dataset --local-dir rebench",
            "cwl corpus unpack $(find rebench -name '*.parquet') --out rebench-logs --sample 1000 --model qwen3-coder-480b-a35b-instruct",
            "cwl trial rebench-logs --out trial",
        ],
    },
    PublicSet {
        name: "callanjfox/kv-cache-tester",
        holds: "739 sessions of Claude Code as sizes, times and hashes of requests, without texts: for cost and the prompt cache only",
        licence: "Apache-2.0",
        outcomes: "none",
        lines: &[
            "git clone https://github.com/callanjfox/kv-cache-tester",
            "git -C kv-cache-tester checkout 94f6046",
            "cwl trial kv-cache-tester/traces --out trial --budgets 40k,60k,80k,100k,130k,160k",
        ],
    },
];

pub(super) fn list_public_sets(out: &mut Stdout) -> Result<(), Failure> {
    for set in PUBLIC_SETS {
        let PublicSet { name, holds, licence, outcomes, lines } = set;
        out.write_line(format!("{name}\n  holds: {holds}\n  licence: {licence}\n  outcomes: {outcomes}"))?;
        lines.iter().try_for_each(|line| out.write_line(format!("    {line}")))?;
        out.write_line("")?;
    }
    out.write_line("This program fetches nothing. The logs are other people's: read the licence before you publish more than figures.")
}
