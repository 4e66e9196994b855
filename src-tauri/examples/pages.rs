//! Writes a package's files about the window besides the program: the man page, and completions for three
//! shells.

use std::path::PathBuf;
use std::{env, fs, io};

use clap::CommandFactory;
use clap_complete::{generate_to, Shell};

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| io::Error::other("name the folder to write to"))?;
    fs::create_dir_all(&folder)?;
    let command = cwl_inspector::LaunchArguments::command;
    clap_mangen::generate_to(command(), &folder)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        generate_to(shell, &mut command(), "cwl-inspector", &folder)?;
    }
    Ok(())
}
