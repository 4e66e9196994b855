//! Subagents' sessions below the sessions that called them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::layout::{Caller, caller_of, is_named_after};
use crate::dto::{AnnotationDto, SessionRowDto};

/// Subagents of subagents are nested this deep; those below stand beside each other.
const DEPTH: usize = 8;

/// A row, and what its log says of itself.
#[derive(Debug, Clone)]
pub(crate) struct Leaf {
    pub(crate) row: SessionRowDto,
    /// The session's id in the log.
    pub(crate) id: Option<String>,
    /// The session or log that called this one, where the log says that a subagent wrote it.
    pub(crate) called_by: Option<String>,
}

impl Leaf {
    fn path(&self) -> &Path {
        Path::new(&self.row.path)
    }
}

/// Hangs subagents' rows under those of their callers: the newest first, by the newest of each family.
///
/// Where a caller's log is not there a row stands for it, so that no subagent passes for a session of its own;
/// while not all logs are known (`complete` is false), its subagents are left out instead.
pub(crate) fn grow(mut leaves: Vec<Leaf>, complete: bool) -> Vec<SessionRowDto> {
    let found: Vec<Place> = {
        let index = Index::of(&leaves);
        leaves.iter().enumerate().map(|(at, leaf)| index.place(at, leaf)).collect()
    };
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(found.len());
    let mut left_out = vec![false; found.len()];
    let mut stand_ins: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for (at, place) in found.into_iter().enumerate() {
        parents.push(match place {
            Place::Top => None,
            Place::Under(parent) => Some(parent),
            Place::UnderMissing(_) if !complete => {
                left_out[at] = true;
                None
            }
            Place::UnderMissing(path) => Some(*stand_ins.entry(path).or_insert_with_key(|path| {
                let leaf = stand_in(&leaves[at].row, path);
                leaves.push(leaf);
                leaves.len() - 1
            })),
        });
    }
    parents.resize(leaves.len(), None);
    left_out.resize(leaves.len(), false);
    let order = settle(&mut parents);
    assemble(leaves, &parents, &left_out, &order)
}

/// Where a row belongs.
enum Place {
    Top,
    Under(usize),
    /// Under a session of which there is no row; its log would be this.
    UnderMissing(PathBuf),
}

/// The rows by what names them.
struct Index<'a> {
    by_path: HashMap<&'a str, usize>,
    /// Sessions only, no subagents: their logs may carry their caller's id.
    by_id: HashMap<&'a str, usize>,
    /// The rows of logs that are named by the start of an id.
    in_chats: Vec<(usize, &'a Path)>,
    /// What the places of the rows' logs tell.
    callers: Vec<Option<Caller>>,
}

impl<'a> Index<'a> {
    fn of(leaves: &'a [Leaf]) -> Self {
        let callers = leaves.iter().map(|leaf| caller_of(leaf.path())).collect();
        let (by_path, by_id) = (HashMap::with_capacity(leaves.len()), HashMap::with_capacity(leaves.len()));
        let mut index = Self { by_path, by_id, in_chats: Vec::new(), callers };
        for (at, leaf) in leaves.iter().enumerate() {
            index.by_path.insert(leaf.row.path.as_str(), at);
            let is_subagents = leaf.called_by.is_some() || index.callers[at].is_some();
            if let (Some(id), false) = (leaf.id.as_deref(), is_subagents) {
                index.by_id.entry(id).or_insert(at);
            }
            if leaf.path().parent().is_some_and(|folder| folder.ends_with("chats")) {
                index.in_chats.push((at, leaf.path()));
            }
        }
        // Subagents may be called by subagents, which are named by their own ids, not by their caller's.
        for (at, leaf) in leaves.iter().enumerate() {
            let own = leaf.id.as_deref().filter(|_| leaf.called_by.is_some());
            if let Some(id) = own.filter(|id| leaf.called_by.as_deref() != Some(*id)) {
                index.by_id.entry(id).or_insert(at);
            }
        }
        index
    }

    fn place(&self, at: usize, leaf: &Leaf) -> Place {
        let folder = leaf.path().parent().unwrap_or(Path::new(""));
        let (found, missing) = match (self.callers[at].clone(), leaf.called_by.as_deref()) {
            (None, None) => return Place::Top,
            (Some(Caller::Log(path)), called_by) => {
                let named = || called_by.and_then(|name| self.named(name));
                (self.at_path(&path).or_else(named), path)
            }
            (Some(Caller::Session { folder, id }), _) => {
                let mut beside =
                    self.in_chats.iter().filter(|(_, path)| path.parent() == Some(folder.as_path()));
                let named_after = beside.find(|(_, path)| is_named_after(path, &id)).map(|(at, _)| *at);
                (self.named(&id).or(named_after), folder.join(format!("{id}.jsonl")))
            }
            (Some(Caller::Beside), called_by) => {
                let Some(id) = called_by.or(leaf.id.as_deref()) else { return Place::Top };
                let log = folder.join(format!("{id}.jsonl"));
                (self.at_path(&log).or_else(|| self.named(id)), log)
            }
            (None, Some(name)) => (self.named(name), PathBuf::from(name)),
        };
        match found.filter(|parent| *parent != at) {
            Some(parent) => Place::Under(parent),
            None => Place::UnderMissing(missing),
        }
    }

    /// Finds a session by the path of its log or by its id.
    fn named(&self, name: &str) -> Option<usize> {
        self.by_path.get(name).or_else(|| self.by_id.get(name)).copied()
    }

    fn at_path(&self, path: &Path) -> Option<usize> {
        self.by_path.get(path.to_str()?).copied()
    }
}

/// Makes the row of a session whose log is not there, as far as a subagent of it tells.
fn stand_in(child: &SessionRowDto, path: &Path) -> Leaf {
    let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
    let row = SessionRowDto {
        session: None,
        id: None,
        path: path.display().to_string(),
        harness: child.harness.clone(),
        format: child.format.clone(),
        title: name.into_owned(),
        cwd: child.cwd.clone(),
        model: None,
        size: 0,
        n_turns: None,
        tokens: None,
        tokenizer: None,
        annotation: AnnotationDto::Unknown,
        changed_at_ms: None,
        live: false,
        gone: true,
        pinned: false,
        n_notes: 0,
        archived: false,
        parent: None,
        continues: None,
        subagent: None,
        children: Vec::new(),
    };
    Leaf { row, id: None, called_by: None }
}

/// Cuts circles and what is nested too deeply, and returns all rows, parents before their children.
fn settle(parents: &mut [Option<usize>]) -> Vec<usize> {
    let mut depths: Vec<Option<usize>> = vec![None; parents.len()];
    for start in 0..parents.len() {
        let mut way = Vec::new();
        let mut at = start;
        // A log may say that it was called by one that it called: the last of them is no subagent then.
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
            // Its parent stands in the deepest row by now, so it comes beside it.
            parents[*at] = parents[*at].and_then(|parent| parents[parent]);
        }
    }
    order
}

fn assemble(
    leaves: Vec<Leaf>,
    parents: &[Option<usize>],
    left_out: &[bool],
    order: &[usize],
) -> Vec<SessionRowDto> {
    let paths: Vec<String> = leaves.iter().map(|leaf| leaf.row.path.clone()).collect();
    let mut newest: Vec<Option<i64>> = leaves.iter().map(|leaf| leaf.row.changed_at_ms).collect();
    let mut rows: Vec<Option<SessionRowDto>> = leaves.into_iter().map(|leaf| Some(leaf.row)).collect();
    let mut below: Vec<Vec<(Option<i64>, SessionRowDto)>> = rows.iter().map(|_| Vec::new()).collect();
    let mut top = Vec::new();
    for at in order.iter().rev().copied() {
        let Some(mut row) = rows[at].take().filter(|_| !left_out[at]) else { continue };
        row.children = sorted(std::mem::take(&mut below[at]));
        match parents[at] {
            Some(parent) => {
                row.parent = Some(paths[parent].clone());
                newest[parent] = newest[parent].max(newest[at]);
                below[parent].push((newest[at], row));
            }
            None => top.push((newest[at], row)),
        }
    }
    sorted(top)
}

fn sorted(mut rows: Vec<(Option<i64>, SessionRowDto)>) -> Vec<SessionRowDto> {
    rows.sort_by(|(a, left), (b, right)| b.cmp(a).then_with(|| left.path.cmp(&right.path)));
    rows.into_iter().map(|(_, row)| row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(path: &str, id: Option<&str>, called_by: Option<&str>, at: i64) -> Leaf {
        let any = AnnotationDto::Unknown;
        let mut leaf = stand_in(&stand_in_row(any), Path::new(path));
        leaf.row.gone = false;
        leaf.row.changed_at_ms = Some(at);
        Leaf { id: id.map(str::to_owned), called_by: called_by.map(str::to_owned), ..leaf }
    }

    fn stand_in_row(annotation: AnnotationDto) -> SessionRowDto {
        SessionRowDto {
            session: None,
            id: None,
            path: String::new(),
            harness: "h".into(),
            format: "f".into(),
            title: String::new(),
            cwd: None,
            model: None,
            size: 0,
            n_turns: None,
            tokens: None,
            tokenizer: None,
            annotation,
            changed_at_ms: None,
            live: false,
            gone: false,
            pinned: false,
            n_notes: 0,
            archived: false,
            parent: None,
            continues: None,
            subagent: None,
            children: Vec::new(),
        }
    }

    /// Writes a tree as `path(children) path!`, where `!` marks one that is gone.
    fn shape(rows: &[SessionRowDto]) -> String {
        let one = |row: &SessionRowDto| {
            let below =
                if row.children.is_empty() { String::new() } else { format!("({})", shape(&row.children)) };
            format!("{}{}{below}", row.path, if row.gone { "!" } else { "" })
        };
        rows.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    fn check(why: &str, leaves: Vec<Leaf>, expected: &str) {
        assert_eq!(shape(&grow(leaves, true)), expected, "{why}");
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
        assert_eq!(grow(orphans(), false).len(), 0, "it may still be found");
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
        let chain: Vec<Leaf> = (0..n)
            .map(|at| {
                leaf(&format!("/x/{at}"), None, (at > 0).then(|| format!("/x/{}", at - 1)).as_deref(), at)
            })
            .collect();
        let rows = grow(chain, true);
        let (mut depth, mut row) = (1, &rows[0]);
        while let Some(next) = row.children.last() {
            (depth, row) = (depth + 1, next);
        }
        assert_eq!(depth, DEPTH + 1);
        let count = |rows: &[SessionRowDto]| -> usize {
            let mut open: Vec<&SessionRowDto> = rows.iter().collect();
            let mut n_rows = 0;
            while let Some(row) = open.pop() {
                n_rows += 1;
                open.extend(&row.children);
            }
            n_rows
        };
        assert_eq!(count(&rows), n as usize, "none is lost");
    }
}
