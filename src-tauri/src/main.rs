//! `cwl-inspector`: the window of CWL Inspector.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = cwl_inspector::LaunchArguments::parse();
    cwl_inspector::prefer_plain_buffers();
    match cwl_inspector::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("cwl-inspector: {reason}");
            ExitCode::from(2)
        }
    }
}
