//! Table `overlay`: marks made afterwards by people and agents.

use cwl_store::*;

#[test]
fn overlays() {
    let mut store = Store::open_in_memory().unwrap();
    let of = |path: &str, name: &str, marks: &str| Overlay {
        path: path.into(),
        name: name.into(),
        made_by: Some("ü".into()),
        marks: marks.into(),
        saved_ms: 5,
    };
    for (overlay, expected) in [
        (of("a", "z", "1"), false),
        (of("a", "b", "2"), false),
        (of("c", "b", "3"), false),
        (of("a", "z", "4"), true),
    ] {
        assert_eq!(store.save_overlay(&overlay).unwrap(), expected, "{overlay:?}");
    }
    let anonymous = Overlay { made_by: None, ..of("c", "n", "null") };
    assert!(!store.save_overlay(&anonymous).unwrap());
    let read = store.read_handle().unwrap();
    assert_eq!(read.overlays_of_log("a").unwrap(), [of("a", "b", "2"), of("a", "z", "4")]);
    assert_eq!(read.overlay_named("c", "n").unwrap(), Some(anonymous));
    assert_eq!(read.overlay_named("c", "z").unwrap(), None);
    assert!(store.remove_overlay("a", "z").unwrap());
    assert!(!store.remove_overlay("a", "z").unwrap());
    assert_eq!(read.overlays_of_log("a").unwrap(), [of("a", "b", "2")]);
}
