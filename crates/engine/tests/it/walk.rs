//! A walk gives the same states as a fold at each cut, and correct differences, over random logs and
//! policies.

use std::collections::BTreeMap;

use crate::common::Played;
use crate::common::random::{n_cases, setting};
use cwl_engine::*;
use proptest::prelude::*;

/// A list of blocks updated by the walk's differences.
#[derive(Default)]
struct Listed {
    fates: BTreeMap<BlockIdx, (Option<EpisodeIdx>, Fate)>,
    made: Vec<PolicyMessage>,
    n_messages: usize,
}

impl Listed {
    fn follow(&mut self, played: &Played, walk: &mut ReplayWalk<'_>) {
        let (input, session) = (played.input(), &played.session);
        let end = session.turn_at(walk.state().cut.turn).end;
        let is_listed = |block: &BlockIdx| session.blocks[block.at()].message.at() < end;
        let mut asked: Vec<BlockIdx> = walk.touched().blocks.iter().copied().filter(is_listed).collect();
        let kept = self.fates.iter().filter(|(_, (_, fate))| fate.is_kept());
        asked.extend(kept.map(|(block, _)| *block));
        for message in self.n_messages..end {
            asked.extend(session.messages[message].blocks.clone().map(BlockIdx::new));
        }
        self.n_messages = end;
        let fates = Fates::new(&input, walk.state());
        for block in asked {
            self.fates.insert(block, (walk.state().owners[block.at()], fates.fate(block)));
        }
        if let Some(made) = walk.policy_messages() {
            self.made = made;
        }
    }
}

/// Builds the same list from a rendered context.
fn rendered(context: &RenderedContext) -> Listed {
    let mut listed = Listed::default();
    let mut waiting = 0;
    for message in &context.messages {
        if is_made(message) {
            listed.made.push(PolicyMessage { message: message.clone(), before: None });
            waiting += 1;
        }
        for item in &message.items {
            let n_made = listed.made.len();
            for made in &mut listed.made[n_made - waiting..] {
                made.before = Some(item.block);
            }
            waiting = 0;
            listed.fates.insert(item.block, (item.episode, item.fate.clone()));
        }
    }
    listed
}

fn is_made(message: &RenderedMessage) -> bool {
    !matches!(message.origin, MessageOrigin::Log(_))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases()))]

    #[test]
    fn a_walk_is_a_fold_at_every_cut(setting in setting()) {
        let played = setting.play();
        let replay = &played.replay;
        let mut walk = ReplayWalk::new(played.input(), replay);
        let mut listed = Listed::default();
        let mut before: Option<StateAt> = None;
        for (at, outcome) in replay.turns.iter().enumerate() {
            for step in 0..=outcome.n_steps as usize {
                let cut = Cut { turn: TurnIdx::new(u32::try_from(at + 1).unwrap()), step };
                prop_assert!(walk.step_forward());
                let folded = played.state(cut);
                prop_assert_eq!(walk.state(), &folded, "{:?}", cut);
                if let Some(before) = &before {
                    for block in (0..before.owners.len()).map(BlockIdx::new) {
                        let is_same = before.presence(block) == folded.presence(block)
                            && before.owners[block.at()] == folded.owners[block.at()];
                        prop_assert!(is_same || walk.touched().blocks.contains(&block));
                    }
                    for (episode, was) in before.levels.iter().enumerate() {
                        let idx = EpisodeIdx::new(episode);
                        let is_same = *was == folded.levels[episode]
                            && before.lives[episode] == folded.lives[episode]
                            && before.residues.contains(&idx) == folded.residues.contains(&idx);
                        prop_assert!(is_same || walk.touched().episodes.contains(&idx), "{:?} {:?}", cut, idx);
                    }
                }
                listed.follow(&played, &mut walk);
                let context = played.context(cut);
                prop_assert_eq!(walk.total(), context.total, "{:?}", cut);
                let expected = rendered(&context);
                prop_assert_eq!(&listed.made, &expected.made, "{:?}", cut);
                prop_assert_eq!(&listed.fates, &expected.fates, "{:?}", cut);
                before = Some(folded);
            }
        }
        prop_assert!(!walk.step_forward(), "it ends with the last step");
    }
}
