//! `cwl completions` and `cwl man`: what a shell and `man` want of a program, made of its arguments.

use std::io::Write;
use std::path::Path;

use crate::args::{CompletionsArgs, ManArgs, command};
use crate::out::{Failure, Out, say};

pub(crate) fn completions(args: &CompletionsArgs, out: &mut Out) -> Result<(), Failure> {
    // Where its reader has gone away, the generator would panic.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "cwl", &mut script);
    Ok(out.writer().write_all(&script)?)
}

pub(crate) fn man(args: &ManArgs, out: &mut Out) -> Result<(), Failure> {
    match &args.out {
        None => Ok(clap_mangen::Man::new(command()).render(out.writer())?),
        Some(folder) => {
            let cannot = |error: std::io::Error| {
                Failure::Said(format!("cannot write ({error}): {}", folder.display()))
            };
            std::fs::create_dir_all(folder).map_err(cannot)?;
            clap_mangen::generate_to(command(), folder).map_err(cannot)?;
            say(&format!("pages of cwl and its commands are in {}", Path::new(folder).display()));
            Ok(())
        }
    }
}
