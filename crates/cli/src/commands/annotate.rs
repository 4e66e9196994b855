//! `cwl annotate`: prints a session for a reader who marks its episodes.

use cwl_api::{Brief, GUIDE};

use crate::args::AnnotateArgs;
use crate::out::{Failure, Out, say};
use crate::progress::during;

pub(crate) fn run(args: &AnnotateArgs, out: &mut Out) -> Result<(), Failure> {
    let opened = args.input.load()?;
    let brief = during("condensing the session", |_| Brief::of(&opened))?;
    let page = brief.page(args.page)?;
    if args.page == 1 {
        out.line(GUIDE)?;
    }
    out.line(page.trim_end())?;
    if args.page < brief.n_pages() {
        say(&format!("page {} of {}; --page {} goes on", args.page, brief.n_pages(), args.page + 1));
    }
    Ok(())
}
