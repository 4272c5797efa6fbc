//! The command line.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser;

use crate::error::{Doing, Result};
use crate::figure::{self, Findings};
use crate::house::tell;
use crate::{bench, budget, program};

/// Measures Gatehouse from outside, beside bare twins.
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    /// Which bench, or `all` to hold every figure against its budget.
    name: String,
    /// One JSON object per figure and line.
    #[arg(long)]
    json: bool,
    /// Measures what was built before.
    #[arg(long)]
    no_build: bool,
    #[command(flatten)]
    scale: Scale,
}

/// How much is measured, where it takes long.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Scale {
    /// So many trees; absent = as many as figures that are quoted stand on.
    #[arg(long)]
    pub trees: Option<usize>,
    /// So many rounds of killing a server.
    #[arg(long)]
    pub rounds: Option<usize>,
    /// So many kills at moments that nobody has chosen.
    #[arg(long)]
    pub kills: Option<usize>,
}

/// The program: exits 1 with the reason when something could not be measured.
pub fn main() -> ExitCode {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let measured = runtime.doing("starting the runtime").and_then(|runtime| runtime.block_on(run(&args)));
    match measured {
        Ok(missing) if missing.is_empty() => ExitCode::SUCCESS,
        Ok(missing) => {
            missing.iter().for_each(|words| tell(&format!("not measured: {words}")));
            ExitCode::FAILURE
        }
        Err(error) => {
            tell(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// What could not be measured.
async fn run(args: &Args) -> Result<Vec<String>> {
    if !args.no_build {
        program::build_server()?;
    }
    if args.name != "all" {
        let found = bench::run(&args.name, !args.no_build, args.scale).await?;
        print(&found, args.json).doing("printing")?;
        return Ok(found.missing);
    }
    let (mut figures, mut missing) = (Vec::new(), Vec::new());
    for name in bench::NAMES {
        tell(name);
        match bench::run(name, !args.no_build, args.scale).await {
            Ok(found) => {
                print(&found, args.json).doing("printing")?;
                missing.extend(found.missing);
                figures.extend(found.figures);
            }
            Err(error) => missing.push(format!("{name}: {error}")),
        }
    }
    for line in budget::Budgets::read()?.judge(&figures) {
        match args.json {
            // Figures alone go to the output.
            true => tell(&line),
            false => writeln!(io::stdout(), "{line}").doing("printing")?,
        }
    }
    Ok(missing)
}

fn print(found: &Findings, json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if json { figure::print_json(&mut out, &found.figures) } else { figure::print_table(&mut out, &found.figures) }
}
