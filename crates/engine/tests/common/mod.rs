//! What the tests of the engine share.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each test file uses a part of it")]

use cwl_engine::testing::{LogBuilder, Part};
use cwl_engine::{
    Cut, DelimiterMark, Growth, Policy, PolicyOptions, Replay, ReplayInput, Session, StateAt, TokenTable,
};

pub fn text(n_bytes: usize) -> Part {
    Part::Text("t".repeat(n_bytes))
}

pub fn reasoning(n_bytes: usize) -> Part {
    Part::Reasoning("r".repeat(n_bytes))
}

pub fn call(id: &str, tool: &str) -> Part {
    Part::Call(id.into(), tool.into())
}

pub fn shell(id: &str, program: &str) -> Part {
    Part::Shell(id.into(), program.into())
}

pub fn mark(id: &str, mark: DelimiterMark) -> Part {
    Part::Mark(id.into(), mark)
}

/// A built log with one replay.
pub struct Played {
    pub session: Session,
    pub growth: Growth,
    pub table: TokenTable,
    pub replay: Replay,
}

pub fn options(settings: &[(&str, &str)]) -> PolicyOptions {
    let policy = Policy::find("cwl").unwrap();
    let mut options = PolicyOptions::default();
    for (key, value) in settings {
        options.set(policy, key, value).unwrap();
    }
    options
}

pub fn play(log: &LogBuilder, budget: u64, settings: &[(&str, &str)]) -> Played {
    let options = options(settings);
    let (session, _) = Session::build(&log.log, None, options.history, &cwl_engine::testing::tools());
    let (growth, _) = Growth::build(&session);
    let table = log.table(&session, &growth, 1);
    let replay = replay(&session, &growth, &table, budget, 0, &options);
    Played { session, growth, table, replay }
}

pub fn replay(
    session: &Session,
    growth: &Growth,
    table: &TokenTable,
    budget: u64,
    overhead: u64,
    options: &PolicyOptions,
) -> Replay {
    let policy = Policy::find("cwl").unwrap();
    Replay::run(&ReplayInput { session, growth, table, overhead, budget, policy, options })
}

impl Played {
    pub fn state(&self, cut: Cut) -> StateAt {
        StateAt::fold(&self.session, &self.growth, &self.replay, cut)
    }

    pub fn now(&self) -> StateAt {
        self.state(Cut::end_of(self.session.now()))
    }

    pub fn context(&self, cut: Cut) -> cwl_engine::RenderedContext {
        cwl_engine::render(&self.session, &self.growth, &self.replay, &self.table, &self.state(cut))
    }

    pub fn dump(&self) -> String {
        let now = self.context(Cut::end_of(self.session.now()));
        let graph = cwl_engine::dump_graph(&self.session, &self.growth.graph);
        let steps = cwl_engine::dump_steps(&self.session, &self.growth, &self.replay);
        let context = cwl_engine::dump_context(&self.session, &self.growth, &self.table, &now);
        format!("{graph}--\n{steps}--\n{context}")
    }
}
