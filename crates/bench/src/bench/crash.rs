//! A server and its shims end at every moment that has a name, and at moments that nobody has chosen. Afterwards, what
//! was promised is looked for: in what the wire says, in the rows, in the files of the jobs, and in what the model heard.

mod dice; // chance that can be repeated
mod judge; // what was promised, and what is there
mod programs; // the programs that can be told to end
mod round; // one life of a server
mod work; // what is asked of it

use std::collections::BTreeMap;

use gatehouse_provider::scripted::{Script, Scripted};

use crate::error::{Doing, Result};
use crate::figure::Findings;
use crate::house::{Home, tell};
use crate::run::Scale;
use dice::Dice;
use judge::Wrong;
use programs::Programs;
use round::End;
use work::Work;

/// Kills at moments that nobody has chosen.
const KILLS: usize = 2_000;
/// Each named moment is to come about so often.
const EACH: usize = 5;
/// It is tried so often at most.
const TRIES: usize = 25;
/// So many lives share a home before it is judged.
const LIVES: usize = 20;

pub(crate) async fn run(builds: bool, scale: Scale) -> Result<Findings> {
    let mut found = Findings::of("crash");
    let programs = if builds { Programs::build()? } else { Programs::built()? };
    let points = programs.points()?;
    let mut tally = Tally::default();
    let mut dice = Dice::new(1);
    tally.points(&programs, &points, &mut dice).await?;
    tally.kills(&programs, scale.kills.unwrap_or(KILLS), &mut dice).await?;
    for point in &points {
        tell(&format!("crash: {:3}  {point}", tally.hits.get(point).copied().unwrap_or(0)));
    }
    tally.wrong.words.iter().for_each(|words| tell(&format!("crash: {words}")));
    let reached = points.iter().filter(|point| tally.hits.get(*point).is_some_and(|hits| *hits >= EACH)).count();
    for point in points.iter().filter(|point| tally.hits.get(*point).is_none_or(|hits| *hits < EACH)) {
        found.missing.push(format!("{point} came about fewer than {EACH} times"));
    }
    let faults: usize = tally.hits.values().sum::<usize>() + tally.kills;
    let Wrong { jobs, messages, delegations, .. } = &tally.wrong;
    tell(&format!(
        "crash: {jobs} jobs and {messages} messages were asked for, and {delegations} times work was handed on"
    ));
    found.add("points", reached as f64, points.len());
    found.add("faults", faults as f64, faults);
    found.add("lost", tally.wrong.lost as f64, faults);
    found.add("doubled", tally.wrong.doubled as f64, faults);
    found.add("misrouted", tally.wrong.misrouted as f64, faults);
    Ok(found)
}

/// What came about.
#[derive(Default)]
struct Tally {
    hits: BTreeMap<String, usize>,
    kills: usize,
    wrong: Wrong,
}

impl Tally {
    /// Lets every named moment come about.
    async fn points(&mut self, programs: &Programs, points: &[String], dice: &mut Dice) -> Result<()> {
        let mut tries: BTreeMap<String, usize> = BTreeMap::new();
        loop {
            let mut ends = Vec::new();
            for point in points {
                let (hits, tried) =
                    (self.hits.get(point).copied().unwrap_or(0), tries.entry(point.clone()).or_default());
                if hits < EACH && *tried < TRIES {
                    // Later ones may not come at all, so every other time it is the first.
                    let nth = if (*tried).is_multiple_of(2) { 1 } else { 1 + dice.below(4) };
                    *tried += 1;
                    ends.push(End::At { point: point.clone(), nth });
                }
            }
            if ends.is_empty() {
                return Ok(());
            }
            for some in ends.chunks(LIVES) {
                self.home(programs, some, dice).await?;
            }
        }
    }

    async fn kills(&mut self, programs: &Programs, kills: usize, dice: &mut Dice) -> Result<()> {
        let ends: Vec<_> = (0..kills).map(|_| End::After(dice.below(400))).collect();
        for (done, some) in ends.chunks(LIVES).enumerate() {
            self.home(programs, some, dice).await?;
            self.kills += some.len();
            if done % 10 == 9 {
                tell(&format!("crash: {} kills, {} wrong", self.kills, self.wrong.words.len()));
            }
        }
        Ok(())
    }

    /// Some lives in a home of their own, and what is left of them.
    async fn home(&mut self, programs: &Programs, ends: &[End], dice: &mut Dice) -> Result<()> {
        let lab = Scripted::start(Script::responder(work::answer)).await.doing("starting a provider")?;
        let url = lab.url();
        let home = Home::new()?;
        let mut work = Work::begin(&programs.start(&home, &url, None)?, home.path()).await?;
        for end in ends {
            for hit in round::live(programs, &home, &url, end, &mut work, dice).await? {
                *self.hits.entry(hit).or_default() += 1;
            }
        }
        let harmed = ends.iter().any(End::harms_shims);
        let server = programs.start(&home, &url, None)?;
        work.insist(&server.rpc).await?;
        judge::judge(server, &home, &work, &lab, harmed, &mut self.wrong).await
    }
}
