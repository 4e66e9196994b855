//! Table `problem`: problems with their places, in the order found.

use cwl_engine::*;
use cwl_store::*;

use crate::common::*;

#[test]
fn every_place() {
    let block = BlockId { entry: "e".into(), index: u32::MAX };
    let places = [
        Place::default(),
        Place::at_line(u64::MAX),
        Place::at_entry(1, "".into()),
        Place::at_block(3, block.clone()),
        Place { line: None, entry: None, block: Some(block) },
        Place { line: None, entry: Some("x\0".into()), block: None },
    ];
    let problems: Vec<_> =
        places.into_iter().map(|place| Problem { place, kind: ProblemKind::LossyText }).collect();
    let mut store = Store::open_in_memory().unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest(&mut store, source, &[], &problems);
    assert_eq!(store.read_handle().unwrap().load_log(source).unwrap().1, problems);
}

#[test]
fn later_batches_add_to_them() {
    let mut store = Store::open_in_memory().unwrap();
    let source = store.source("a", "pi").unwrap();
    for from in 0..7 {
        ingest_endless(&mut store, source, from, from + 1).unwrap();
    }
    let (_, problems) = store.read_handle().unwrap().load_log(source).unwrap();
    let lines: Vec<_> = problems.iter().filter_map(|problem| problem.place.line).collect();
    assert_eq!(lines, [1, 4, 7]);
    assert_eq!(store.read_handle().unwrap().source(source).unwrap().n_problems, 3);
}
