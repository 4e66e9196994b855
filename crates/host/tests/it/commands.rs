//! The committed TypeScript interface equals the generated one.

use std::path::PathBuf;

use ts_rs::{Config, TS, TypeVisitor};

/// Writes the TypeScript of each type and of its parts.
struct Export(Config);

impl TypeVisitor for Export {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        T::export_all(&self.0).unwrap();
    }
}

/// Fails if `Commands.ts` differs from the list of commands. With `CWL_GEN` set, writes the file and all wire
/// types instead.
#[test]
fn export_bindings_commands() {
    let folder = std::env::var_os("TS_RS_EXPORT_DIR").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../ui/src/lib/ipc/generated")),
        PathBuf::from,
    );
    let file = folder.join("Commands.ts");
    let generated = cwl_host::router::typescript();
    if std::env::var_os("CWL_GEN").is_some() {
        let mut export = Export(Config::from_env().with_large_int("number"));
        cwl_host::router::visit_types(&mut export);
        std::fs::write(&file, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(committed, generated, "out of date: run `make gen` and commit the file");
}

#[test]
fn every_command_is_in_the_interface_once() {
    let text = cwl_host::router::typescript();
    for name in cwl_host::router::names() {
        assert_eq!(text.matches(&format!("  {name}: {{ request:")).count(), 1, "{name}");
    }
}
