//! Shared helpers for tests of the engine.
#![allow(unreachable_pub)]

pub mod random;
pub mod told;

use cwl_engine::testing::{LogBuilder, Part};
use cwl_engine::{
    BlockIdx, Cut, DelimiterMark, EvictionStep, GraphTimeline, Material, Overhead, Policy, PolicyOptions,
    Replay, ReplayInput, Session, StateAt, Steps, TokenTable, TurnIdx,
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

pub struct Played {
    pub overhead: Overhead,
    pub session: Session,
    pub growth: GraphTimeline,
    pub table: TokenTable,
    pub material: Material,
    pub pins: Vec<BlockIdx>,
    pub replay: Replay,
}

pub fn options_of(policy: &str, settings: &[(&str, &str)]) -> PolicyOptions {
    let policy = Policy::find(policy).unwrap();
    let mut options = PolicyOptions::defaults(policy).unwrap();
    for (key, value) in settings {
        options.set_from_text(policy, key, value).unwrap();
    }
    options
}

/// Replays `cwl` with one unit per token.
pub fn play(log: &LogBuilder, budget: u64, settings: &[(&str, &str)]) -> Played {
    play_policy("cwl", log, budget, settings)
}

/// Replays any policy with one unit per token.
pub fn play_policy(policy: &str, log: &LogBuilder, budget: u64, settings: &[(&str, &str)]) -> Played {
    Played::replay(policy, log, budget, 0, 1, &options_of(policy, settings))
}

impl Played {
    pub fn replay(
        policy: &str,
        log: &LogBuilder,
        budget: u64,
        overhead: impl Into<Overhead>,
        divisor: u32,
        options: &PolicyOptions,
    ) -> Self {
        let nothing = |_: &Session| (Material::default(), Vec::new());
        Self::with(policy, log, budget, overhead, divisor, options, nothing)
    }

    /// Replays with material and pins computed from the session.
    pub fn with(
        policy: &str,
        log: &LogBuilder,
        budget: u64,
        overhead: impl Into<Overhead>,
        divisor: u32,
        options: &PolicyOptions,
        extra: impl Fn(&Session) -> (Material, Vec<BlockIdx>),
    ) -> Self {
        let tools = cwl_engine::testing::tools();
        let (session, _) = Session::build(&log.log, None, options.history, &tools);
        let (growth, _) = GraphTimeline::build(&session);
        Self::over(policy, log, session, growth, budget, overhead, divisor, options, extra)
    }

    /// Replays over an annotation other than the agent's own.
    pub fn annotated(
        policy: &str,
        log: &LogBuilder,
        budget: u64,
        options: &PolicyOptions,
        growth: GraphTimeline,
    ) -> Self {
        let (session, _) = Session::build(&log.log, None, options.history, &cwl_engine::testing::tools());
        let nothing = |_: &Session| (Material::default(), Vec::new());
        Self::over(policy, log, session, growth, budget, 0, 1, options, nothing)
    }

    #[expect(clippy::too_many_arguments, reason = "all that a replay needs, each given once")]
    fn over(
        policy: &str,
        log: &LogBuilder,
        session: Session,
        growth: GraphTimeline,
        budget: u64,
        overhead: impl Into<Overhead>,
        divisor: u32,
        options: &PolicyOptions,
        extra: impl Fn(&Session) -> (Material, Vec<BlockIdx>),
    ) -> Self {
        let policy = Policy::find(policy).unwrap();
        let table = log.table(&session, &growth, divisor);
        let table = policy.adjust_table(&session, &table).into_owned();
        let (material, pins) = extra(&session);
        let overhead = overhead.into();
        let replay = Replay::run(&ReplayInput {
            session: &session,
            growth: &growth,
            table: &table,
            material: &material,
            pins: &pins,
            overhead: &overhead,
            budget,
            policy,
            options,
        });
        Self { overhead, session, growth, table, material, pins, replay }
    }

    pub fn input(&self) -> ReplayInput<'_> {
        let Self { overhead, session, growth, table, material, pins, replay } = self;
        let Replay { budget, policy, ref options, .. } = *replay;
        ReplayInput { session, growth, table, material, pins, overhead, budget, policy, options }
    }

    pub fn pass(&self, turn: TurnIdx) -> Steps<'_> {
        self.replay.steps_of(&self.input(), turn)
    }

    pub fn steps(&self) -> Vec<EvictionStep> {
        let turns = (1..=self.session.last_turn().number()).map(TurnIdx::new);
        turns.flat_map(|turn| self.pass(turn).steps.into_owned()).collect()
    }

    pub fn state(&self, cut: Cut) -> StateAt {
        StateAt::fold_to(&self.input(), &self.replay, cut)
    }

    pub fn now(&self) -> StateAt {
        self.state(Cut::end_of(self.session.last_turn()))
    }

    pub fn context(&self, cut: Cut) -> cwl_engine::RenderedContext {
        cwl_engine::render(&self.input(), &self.replay, &self.state(cut))
    }

    pub fn dump(&self) -> String {
        let now = self.context(Cut::end_of(self.session.last_turn()));
        let graph = cwl_engine::testing::dump_graph(&self.session, &self.growth.graph);
        let steps = cwl_engine::testing::dump_steps(&self.input(), &self.replay);
        let context = cwl_engine::testing::dump_context(&self.session, &self.growth, &self.table, &now);
        format!("{graph}--\n{steps}--\n{context}")
    }
}
