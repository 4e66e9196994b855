//! Nests subagents' sessions below their callers.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use cwl_formats::layout::{SubagentParent, caller_of, is_named_after};

/// Deepest subagent nesting; deeper ones are listed side by side.
const DEPTH: usize = 8;

#[derive(Debug, Clone, Copy)]
pub struct Leaf<'a> {
    pub path: &'a str,
    pub id: Option<&'a str>,
    /// The calling session or log, if the log says that a subagent wrote it.
    pub called_by: Option<&'a str>,
    /// Last change, in milliseconds since 1970.
    pub changed_at_ms: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeNode {
    pub of: TreeSession,
    /// Subagents' sessions, newest first.
    pub children: Vec<Self>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeSession {
    /// Index into the leaves given to [`build_tree`].
    Leaf(usize),
    /// A caller without a log.
    Missing {
        /// The path that the log would have, or the caller's id.
        log: PathBuf,
        called: usize,
    },
}

/// Nests subagents' sessions below their callers; families are sorted by their newest session, newest first.
///
/// A caller without a log gets a node, so that no subagent passes for an independent session. Until all logs
/// are known (`complete` is `false`), subagents of such a caller are left out.
pub fn build_tree(leaves: &[Leaf<'_>], complete: bool) -> Vec<TreeNode> {
    let index = RowIndex::new(leaves);
    // A session that is left out is `None`.
    let mut sessions: Vec<Option<TreeSession>> =
        (0..leaves.len()).map(|at| Some(TreeSession::Leaf(at))).collect();
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(leaves.len());
    let mut missing: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for (at, leaf) in leaves.iter().enumerate() {
        parents.push(match index.find_parent(at, leaf) {
            Ok(parent) => parent,
            Err(_) if !complete => {
                sessions[at] = None;
                None
            }
            Err(log) => Some(*missing.entry(log).or_insert_with_key(|log| {
                sessions.push(Some(TreeSession::Missing { log: log.clone(), called: at }));
                sessions.len() - 1
            })),
        });
    }
    parents.resize(sessions.len(), None);
    let order = order_parents_first(&mut parents);
    assemble_tree(leaves, sessions, &parents, &order)
}

struct RowIndex<'a> {
    by_path: HashMap<&'a str, usize>,
    /// Sessions only: subagents' logs may carry their caller's id.
    by_id: HashMap<&'a str, usize>,
    in_chats: Vec<(usize, &'a Path)>,
    callers: Vec<Option<SubagentParent>>,
}

impl<'a> RowIndex<'a> {
    fn new(leaves: &[Leaf<'a>]) -> Self {
        let callers = leaves.iter().map(|leaf| caller_of(Path::new(leaf.path))).collect();
        let (by_path, by_id) = (HashMap::with_capacity(leaves.len()), HashMap::with_capacity(leaves.len()));
        let mut index = Self { by_path, by_id, in_chats: Vec::new(), callers };
        for (at, leaf) in leaves.iter().enumerate() {
            index.by_path.insert(leaf.path, at);
            let is_subagents = leaf.called_by.is_some() || index.callers[at].is_some();
            if let (Some(id), false) = (leaf.id, is_subagents) {
                index.by_id.entry(id).or_insert(at);
            }
            let path = Path::new(leaf.path);
            if path.parent().is_some_and(|folder| folder.ends_with("chats")) {
                index.in_chats.push((at, path));
            }
        }
        // Subagents may call subagents, which are named by their own ids and not by their caller's.
        for (at, leaf) in leaves.iter().enumerate() {
            let own = leaf.id.filter(|_| leaf.called_by.is_some());
            if let Some(id) = own.filter(|id| leaf.called_by != Some(*id)) {
                index.by_id.entry(id).or_insert(at);
            }
        }
        index
    }

    /// Returns the parent of a leaf, if it has one. The error is the path that a missing parent's log would
    /// have.
    fn find_parent(&self, at: usize, leaf: &Leaf<'_>) -> Result<Option<usize>, PathBuf> {
        let folder = Path::new(leaf.path).parent().unwrap_or(Path::new(""));
        let (found, missing) = match (self.callers[at].clone(), leaf.called_by) {
            (None, None) => return Ok(None),
            (Some(SubagentParent::Log(path)), called_by) => {
                let named = || called_by.and_then(|name| self.find_session(name));
                (self.at_path(&path).or_else(named), path)
            }
            (Some(SubagentParent::Session { folder, id }), _) => {
                let mut beside =
                    self.in_chats.iter().filter(|(_, path)| path.parent() == Some(folder.as_path()));
                let named_after = beside.find(|(_, path)| is_named_after(path, &id)).map(|(at, _)| *at);
                (self.find_session(&id).or(named_after), folder.join(format!("{id}.jsonl")))
            }
            (Some(SubagentParent::Beside), called_by) => {
                let Some(id) = called_by.or(leaf.id) else { return Ok(None) };
                let log = folder.join(format!("{id}.jsonl"));
                (self.at_path(&log).or_else(|| self.find_session(id)), log)
            }
            (None, Some(name)) => (self.find_session(name), PathBuf::from(name)),
        };
        found.filter(|parent| *parent != at).map(Some).ok_or(missing)
    }

    fn find_session(&self, name: &str) -> Option<usize> {
        self.by_path.get(name).or_else(|| self.by_id.get(name)).copied()
    }

    fn at_path(&self, path: &Path) -> Option<usize> {
        self.by_path.get(path.to_str()?).copied()
    }
}

/// Cuts circles and nesting beyond [`DEPTH`]; returns all rows, parents before their children.
fn order_parents_first(parents: &mut [Option<usize>]) -> Vec<usize> {
    let mut depths: Vec<Option<usize>> = vec![None; parents.len()];
    for start in 0..parents.len() {
        let mut way = Vec::new();
        let mut at = start;
        // A log may name as its caller a session that it called: the last of the circle becomes no subagent.
        let mut is_on_way = std::collections::BTreeSet::new();
        let mut depth = loop {
            if let Some(depth) = depths[at] {
                break depth + 1;
            }
            way.push(at);
            is_on_way.insert(at);
            match parents[at] {
                Some(parent) if is_on_way.contains(&parent) => {
                    parents[at] = None;
                    break 0;
                }
                Some(parent) => at = parent,
                None => break 0,
            }
        };
        while let Some(at) = way.pop() {
            depths[at] = Some(depth);
            depth += 1;
        }
    }
    let depth = |at: &usize| depths[*at].unwrap_or(0);
    let mut order: Vec<usize> = (0..parents.len()).collect();
    order.sort_by_key(depth);
    for at in &order {
        if depth(at) > DEPTH {
            // Its parent is at the deepest level already, so the row becomes its sibling.
            parents[*at] = parents[*at].and_then(|parent| parents[parent]);
        }
    }
    order
}

fn assemble_tree(
    leaves: &[Leaf<'_>],
    mut sessions: Vec<Option<TreeSession>>,
    parents: &[Option<usize>],
    order: &[usize],
) -> Vec<TreeNode> {
    let mut newest: Vec<Option<i64>> = leaves.iter().map(|leaf| leaf.changed_at_ms).collect();
    newest.resize(sessions.len(), None);
    let mut below: Vec<Vec<(Option<i64>, TreeNode)>> = sessions.iter().map(|_| Vec::new()).collect();
    let mut top = Vec::new();
    for at in order.iter().rev().copied() {
        let Some(of) = sessions[at].take() else { continue };
        let node = TreeNode { of, children: sort_nodes(leaves, std::mem::take(&mut below[at])) };
        match parents[at] {
            Some(parent) => {
                newest[parent] = newest[parent].max(newest[at]);
                below[parent].push((newest[at], node));
            }
            None => top.push((newest[at], node)),
        }
    }
    sort_nodes(leaves, top)
}

fn sort_nodes(leaves: &[Leaf<'_>], mut nodes: Vec<(Option<i64>, TreeNode)>) -> Vec<TreeNode> {
    nodes.sort_by(|(a, left), (b, right)| {
        b.cmp(a).then_with(|| path_of(leaves, &left.of).cmp(&path_of(leaves, &right.of)))
    });
    nodes.into_iter().map(|(_, node)| node).collect()
}

fn path_of<'a>(leaves: &'a [Leaf<'_>], of: &'a TreeSession) -> Cow<'a, str> {
    match of {
        TreeSession::Leaf(at) => leaves[*at].path.into(),
        TreeSession::Missing { log, .. } => log.to_string_lossy(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf<'a>(path: &'a str, id: Option<&'a str>, called_by: Option<&'a str>, at: i64) -> Leaf<'a> {
        Leaf { path, id, called_by, changed_at_ms: Some(at) }
    }

    /// Formats a tree as `path(children) path!`, with `!` for a missing session.
    fn shape(leaves: &[Leaf<'_>], nodes: &[TreeNode]) -> String {
        let one = |node: &TreeNode| {
            let below = shape(leaves, &node.children);
            let below = if below.is_empty() { below } else { format!("({below})") };
            let mark = if matches!(node.of, TreeSession::Leaf(_)) { "" } else { "!" };
            format!("{}{mark}{below}", path_of(leaves, &node.of))
        };
        nodes.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    fn check(why: &str, leaves: Vec<Leaf<'_>>, expected: &str) {
        assert_eq!(shape(&leaves, &build_tree(&leaves, true)), expected, "{why}");
    }

    #[test]
    fn subagents_hang_under_their_callers() {
        let main = |at| leaf("/c/p/s1.jsonl", Some("s1"), None, at);
        check(
            "sessions are sorted",
            vec![main(1), leaf("/c/p/s2.jsonl", Some("s2"), None, 2)],
            "/c/p/s2.jsonl /c/p/s1.jsonl",
        );
        check(
            "by place, with the newest of the family first",
            vec![
                main(1),
                leaf("/c/p/s2.jsonl", Some("s2"), None, 2),
                leaf("/c/p/s1/subagents/agent-a.jsonl", Some("s1"), None, 3),
                leaf("/c/p/s1/subagents/agent-b.jsonl", Some("s1"), None, 4),
            ],
            "/c/p/s1.jsonl(/c/p/s1/subagents/agent-b.jsonl /c/p/s1/subagents/agent-a.jsonl) /c/p/s2.jsonl",
        );
        check(
            "beside, by the id that it shares with its caller",
            vec![main(1), leaf("/c/p/agent-a.jsonl", Some("s1"), None, 3)],
            "/c/p/s1.jsonl(/c/p/agent-a.jsonl)",
        );
        check(
            "by what the log says",
            vec![
                leaf("/x/r1.jsonl", Some("t1"), None, 1),
                leaf("/x/r2.jsonl", Some("t2"), Some("t1"), 2),
                leaf("/x/r3.jsonl", Some("t3"), Some("/x/r2.jsonl"), 3),
            ],
            "/x/r1.jsonl(/x/r2.jsonl(/x/r3.jsonl))",
        );
        check(
            "by the start of an id in a name",
            vec![
                leaf("/g/chats/session-2026-aabbccdd.json", None, None, 1),
                leaf("/g/chats/aabbccdd-1/x.jsonl", None, None, 2),
            ],
            "/g/chats/session-2026-aabbccdd.json(/g/chats/aabbccdd-1/x.jsonl)",
        );
    }

    #[test]
    fn a_missing_caller_has_a_row_that_says_so() {
        let orphans = || {
            vec![
                leaf("/c/p/s1/subagents/agent-a.jsonl", Some("s1"), None, 1),
                leaf("/c/p/s1/subagents/agent-b.jsonl", Some("s1"), None, 2),
                leaf("/c/p/agent-c.jsonl", Some("s1"), None, 3),
                leaf("/x/r2.jsonl", Some("t2"), Some("t1"), 4),
            ]
        };
        check(
            "one row for the same caller",
            orphans(),
            "t1!(/x/r2.jsonl) /c/p/s1.jsonl!(/c/p/agent-c.jsonl /c/p/s1/subagents/agent-b.jsonl \
             /c/p/s1/subagents/agent-a.jsonl)",
        );
        assert_eq!(build_tree(&orphans(), false).len(), 0, "it may still be found");
    }

    #[test]
    fn circles_and_depth_are_cut() {
        check(
            "each says that the other called it",
            vec![leaf("/x/a", Some("a"), Some("b"), 1), leaf("/x/b", Some("b"), Some("a"), 2)],
            "/x/b(/x/a)",
        );
        check("itself", vec![leaf("/x/a", Some("a"), Some("a"), 1)], "a!(/x/a)");
        let n = 5000;
        let paths: Vec<String> = (0..n).map(|at| format!("/x/{at}")).collect();
        let called_by = |at: usize| at.checked_sub(1).map(|caller| paths[caller].as_str());
        let chain: Vec<Leaf<'_>> =
            (0..n).map(|at| leaf(&paths[at], None, called_by(at), i64::try_from(at).unwrap_or(0))).collect();
        let nodes = build_tree(&chain, true);
        let (mut depth, mut node) = (1, &nodes[0]);
        while let Some(next) = node.children.last() {
            (depth, node) = (depth + 1, next);
        }
        assert_eq!(depth, DEPTH + 1);
        let mut open: Vec<&TreeNode> = nodes.iter().collect();
        let mut n_nodes = 0;
        while let Some(node) = open.pop() {
            n_nodes += 1;
            open.extend(&node.children);
        }
        assert_eq!(n_nodes, n, "none is lost");
    }
}
