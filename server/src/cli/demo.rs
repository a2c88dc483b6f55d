//! `callboard demo`: a project to look at, served like any other.

use super::out::Out;
use super::{Exit, Globals, Serve, ui, when};
use crate::boot::{self, BootOptions};
use crate::demo::{self, Cast};
use contracts::{Code, Hint, Problem};
use std::path::PathBuf;
use std::sync::Arc;

/// Arguments of `demo`.
#[derive(Debug, clap::Args)]
pub struct DemoArgs {
    /// Make it in this folder instead of callboard-demo in the system's temporary folder
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Listen on this port instead of the first free one of 2140 to 2159
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
    /// Leave the scripted agents out
    #[arg(long)]
    still: bool,
    /// Make it anew, also when it is there
    #[arg(long)]
    fresh: bool,
}

/// Makes it when it is not there, and serves it.
pub async fn run(globals: &Globals, out: Out, args: DemoArgs, serve: Serve) -> Result<Exit, Problem> {
    let directory = args.dir.unwrap_or_else(demo::default_directory);
    let project = directory.join(git::PROJECT_DIRECTORY);
    if project.is_dir() && demo::is_ours(&project) && ui::hold(&project)?.is_none() {
        if args.fresh {
            return Err(Problem::new(Code::Busy, "this demonstration is being served").hint(Hint::text("end its server, then make it anew")));
        }
        return ui::found(out, &project, &ui::UiArgs::at(args.port, args.open)).await;
    }
    let place = demo::prepare(&directory, args.fresh, &when::machine_zone()).await?;
    let Some(lock) = ui::hold(&place.directory())? else { return ui::found(out, &place.directory(), &ui::UiArgs::at(args.port, args.open)).await };
    let boot = boot::open(place, BootOptions { readers: ui::READERS, ..BootOptions::default() }).await?;
    out.notice("this is a demonstration: in your own repository, run callboard init and then callboard ui");
    let watchers = Arc::default();
    let cast = (!args.still).then(|| Cast::start(&boot.port, &watchers));
    let ended = ui::with(globals, boot, out, ui::UiArgs::at(args.port, args.open), serve, watchers).await;
    drop((cast, lock));
    ended
}
