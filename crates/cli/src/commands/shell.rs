//! `cwl completions` and `cwl man`: shell completions and man pages, generated from the arguments.

use std::io::Write;
use std::path::Path;

use crate::args::{CompletionsArgs, ManArgs, build_command};
use crate::out::{Failure, Stdout, warn_user};

pub(crate) fn print_completions(args: &CompletionsArgs, out: &mut Stdout) -> Result<(), Failure> {
    // The generator would panic if its reader went away.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut build_command(), "cwl", &mut script);
    Ok(out.writer().write_all(&script)?)
}

pub(crate) fn write_man_pages(args: &ManArgs, out: &mut Stdout) -> Result<(), Failure> {
    match &args.out {
        None => Ok(clap_mangen::Man::new(build_command()).render(out.writer())?),
        Some(folder) => {
            let cannot = |error: std::io::Error| {
                Failure::Said(format!("cannot write ({error}): {}", folder.display()))
            };
            std::fs::create_dir_all(folder).map_err(cannot)?;
            clap_mangen::generate_to(build_command(), folder).map_err(cannot)?;
            warn_user(&format!("pages of cwl and its commands are in {}", Path::new(folder).display()));
            Ok(())
        }
    }
}
