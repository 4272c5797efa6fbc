//! What a job says, as tables of times and events.

use std::time::Duration;

use gatehouse_domain::Mono;
use gatehouse_trigger::{
    Breaker, Disabled, Event, Hit, Job, LIFETIME_HITS, News, Plan, Saved, WatchPatterns, WhyDisabled,
};
use proptest::prelude::*;

fn at(ms: u64) -> Mono {
    Mono(Duration::from_millis(ms))
}

fn plan(patterns: &[&str]) -> Plan {
    Plan { patterns: WatchPatterns::parse(patterns.iter().copied()).unwrap_or_default(), heartbeat: None }
}

/// A job whose events are kept with the time at which they came.
struct Heard {
    job: Job,
    now: u64,
    offset: u64,
    events: Vec<(u64, Event)>,
}

impl Heard {
    fn new(plan: Plan) -> Self {
        Self { job: Job::new(plan, Saved::default(), at(0)), now: 0, offset: 0, events: Vec::new() }
    }

    fn keep(&mut self, events: Vec<Event>) {
        let told = events.into_iter().filter(|event| !matches!(event, Event::Quiet | Event::Wrote | Event::Matched));
        self.events.extend(told.map(|event| (self.now, event)));
    }

    /// Lets the time pass, and wakes the job whenever it wants to be.
    fn until(&mut self, ms: u64) {
        while let Some(next) = self.job.next_at().filter(|next| *next <= at(ms)) {
            self.now = u64::try_from(next.0.as_millis()).unwrap_or(u64::MAX);
            let events = self.job.tick(next, &mut |_| true);
            self.keep(events);
        }
        self.now = ms;
    }

    fn write(&mut self, ms: u64, text: &str) {
        self.until(ms);
        let events = self.job.read(self.offset, text.as_bytes(), at(ms), &mut |_| true);
        self.keep(events);
        self.offset += text.len() as u64;
    }

    fn end(&mut self) {
        let events = self.job.end(at(self.now), &mut |_| true);
        self.keep(events);
    }

    fn hits(&self) -> Vec<&Hit> {
        self.events.iter().filter_map(|(_, event)| if let Event::Hit(hit) = event { Some(hit) } else { None }).collect()
    }

    fn disabled(&self) -> Vec<(u64, Disabled)> {
        let of = |(at, event): &(u64, Event)| match event {
            Event::Disabled(disabled) => Some((*at, *disabled)),
            Event::Hit(_) | Event::Tick(_) | Event::Quiet | Event::Spoke | Event::Wrote | Event::Matched => None,
        };
        self.events.iter().filter_map(of).collect()
    }
}

#[test]
fn a_match_every_second_is_three_hits_and_the_end_of_the_watch() {
    let mut heard = Heard::new(plan(&["tick"]));
    for second in 0..60 {
        heard.write(second * 1_000, "tick\n");
    }
    let told: Vec<_> = heard.hits().iter().map(|hit| (hit.number, hit.suppressed)).collect();
    assert_eq!(told, [(1, 0), (2, 14), (3, 14)]);
    let times: Vec<_> = heard.events.iter().map(|(at, _)| at / 1_000).collect();
    assert_eq!(times, [0, 15, 30, 31]);
    assert_eq!(heard.disabled(), [(31_000, Disabled { why: WhyDisabled::TooOften, suppressed: 1 })]);
    heard.end();
    assert_eq!(heard.events.len(), 4);
}

#[test]
fn a_spacing_without_a_match_forgives() {
    let mut heard = Heard::new(plan(&["tick"]));
    for round in 0..3 {
        let start = round * 50_000;
        for ms in [0, 1_000, 16_000, 17_000, 33_000] {
            // Two spacings with a match in them, then one without.
            heard.write(start + ms, "tick\n");
        }
    }
    assert_eq!(heard.disabled().iter().map(|(_, d)| d.why).collect::<Vec<_>>(), [WhyDisabled::Lifetime]);
}

#[test]
fn the_eighth_hit_is_the_last() {
    let mut heard = Heard::new(plan(&["tick"]));
    for hit in 0..12 {
        heard.write(hit * 20_000, "tick\n");
    }
    heard.until(300_000);
    heard.end();
    assert_eq!(heard.hits().len(), LIFETIME_HITS as usize);
    assert_eq!(heard.disabled(), [(140_100, Disabled { why: WhyDisabled::Lifetime, suppressed: 0 })]);
    assert_eq!(heard.events.len(), 9);
}

#[test]
fn a_word_in_two_writes_is_found_once() {
    let mut heard = Heard::new(plan(&["READY"]));
    heard.write(0, "\u{1b}[32mREAD");
    heard.write(20, "\u{1b}[0mY\n");
    heard.until(1_000);
    heard.end();
    assert_eq!(heard.hits().len(), 1);
    assert_eq!((heard.hits()[0].pattern.as_str(), heard.hits()[0].lines.as_str()), ("READY", "READY\n"));
}

#[test]
fn a_prompt_is_found_after_a_moment_and_not_again_when_its_line_ends() {
    let mut heard = Heard::new(plan(&["Password:"]));
    heard.write(0, "Password: ");
    heard.until(199);
    assert!(heard.events.is_empty());
    heard.until(400);
    assert_eq!(heard.hits().len(), 1);
    heard.write(500, "secret\n");
    heard.until(20_000);
    heard.end();
    assert_eq!(heard.events.len(), 1);
}

#[test]
fn what_lies_there_at_the_end_is_looked_at_and_nothing_later() {
    let mut heard = Heard::new(plan(&["READY"]));
    heard.write(0, "now READY");
    heard.end();
    assert_eq!(heard.hits().len(), 1);
    heard.write(30_000, "READY\n");
    heard.until(60_000);
    heard.end();
    assert_eq!(heard.events.len(), 1);
}

#[test]
fn a_hit_shows_so_much_and_no_more() {
    let mut heard = Heard::new(plan(&["x"]));
    heard.write(0, &"x\n".repeat(50));
    heard.until(1_000);
    assert_eq!((heard.hits()[0].matched, heard.hits()[0].lines.lines().count()), (50, 20));
    heard.write(16_000, &format!("{}\n{}\n", "x".repeat(1_500), "xé".repeat(1_500)));
    heard.until(17_000);
    let lines = &heard.hits()[1].lines;
    assert_eq!(lines.chars().count(), 2_000);
    assert!(lines.ends_with('…'), "{lines}");
}

#[test]
fn sixteen_jobs_at_once_are_fifteen_hits() {
    let mut breaker = Breaker::default();
    let (mut hits, mut news) = (0, Vec::new());
    for owner in 0..16 {
        let mut job = Job::new(plan(&["go"]), Saved::default(), at(0));
        let mut ask = |now| {
            let asked = breaker.ask(owner, now);
            news.extend(asked.news);
            asked.passes
        };
        job.read(0, b"go\n", at(0), &mut ask);
        hits += job.tick(at(100), &mut ask).len();
        let saved = job.saved(at(100)).watch;
        assert_eq!((saved.hits == 1, saved.suppressed), (owner < 15, u64::from(owner == 15)));
    }
    assert_eq!((hits, news), (15, vec![(15, News::Tripped)]));
}

#[test]
fn a_hit_that_was_held_back_costs_its_job_nothing() {
    let mut job = Job::new(plan(&["go"]), Saved::default(), at(0));
    assert!(job.read(0, b"go\n", at(0), &mut |_| false).is_empty());
    job.read(3, b"go\n", at(1_000), &mut |_| true);
    let events = job.tick(at(1_100), &mut |_| true);
    assert!(
        matches!(events.as_slice(), [Event::Hit(Hit { number: 1, suppressed: 1, .. }), Event::Matched]),
        "{events:?}"
    );
}

#[test]
fn a_heartbeat_without_output_is_silent() {
    let plan = Plan { heartbeat: Some(Duration::from_secs(60)), ..Plan::default() };
    let mut heard = Heard::new(plan);
    heard.until(600_000);
    assert!(heard.events.is_empty());
    heard.job.grew(5, at(600_001));
    heard.until(700_000);
    assert!(matches!(heard.events.as_slice(), [(660_000, Event::Tick(_))]), "{:?}", heard.events);
}

#[test]
fn a_restart_goes_on_where_it_was() {
    let mut first = Job::new(plan(&["go"]), Saved::default(), at(0));
    first.read(0, b"go\nhalf a go", at(0), &mut |_| true);
    assert_eq!(first.tick(at(100), &mut |_| true).len(), 1);
    let saved = first.saved(at(5_000));
    assert_eq!((saved.watch.offset, saved.watch.spacing_left), (3, Duration::from_secs(10)));
    let mut second = Job::new(plan(&["go"]), saved, at(7));
    assert_eq!(second.reads_from(), Some(3));
    second.read(3, b"half a gone\n", at(7), &mut |_| true);
    assert_eq!(second.saved(at(7)).watch.strikes, 1, "the spacing goes on as well");
    let over = Saved { watch: gatehouse_trigger::SavedWatch { disabled: true, ..saved.watch }, ..saved };
    let mut third = Job::new(plan(&["go"]), over, at(0));
    assert!(third.read(3, b"go\ngo\n", at(90_000), &mut |_| true).is_empty());
    assert_eq!(third.end(at(91_000), &mut |_| true), [Event::Matched], "it is counted, and not told");
    assert_eq!((saved.watch.matched, third.matched()), (1, 3));
}

#[test]
fn matches_are_counted_to_the_end_of_the_job_whether_they_are_told_or_not() {
    let mut job = Job::new(plan(&["tick"]), Saved::default(), at(0));
    let (mut shown, mut told) = (Vec::new(), 0);
    for tenth in 0..1_200_u64 {
        let now = at(tenth * 100);
        let mut events = job.read(tenth * 5, b"tick\n", now, &mut |_| true);
        events.extend(job.tick(now, &mut |_| true));
        told += events.iter().filter(|event| matches!(event, Event::Hit(_) | Event::Disabled(_))).count();
        if events.contains(&Event::Matched) {
            shown.push((tenth / 10, job.matched()));
        }
    }
    assert_eq!(told, 4, "three hits, and that there will be no more");
    assert_eq!(shown.iter().map(|(second, _)| *second).collect::<Vec<_>>(), (1..120).collect::<Vec<_>>());
    assert_eq!((shown[0], shown[118]), ((1, 11), (119, 1_191)));
    assert_eq!(job.end(at(120_000), &mut |_| true), [Event::Matched], "the last of them are shown with the end");
    assert_eq!((job.matched(), job.reads_from()), (1_200, None));
}

#[test]
fn a_quiet_job_speaks_again() {
    let mut job = Job::new(Plan::default(), Saved::default(), at(0));
    assert_eq!(job.tick(at(120_000), &mut |_| true), [Event::Quiet]);
    assert_eq!(job.next_at(), None);
    assert_eq!(job.grew(1, at(130_000)), Some(Event::Spoke));
    assert_eq!(job.grew(1, at(131_000)), None);
    assert_eq!(job.tick(at(131_000), &mut |_| true), [Event::Wrote]);
    assert_eq!(job.next_at(), Some(at(250_000)));
}

#[test]
fn a_job_that_has_written_more_than_anybody_keeps_goes_on_being_told() {
    let mut job = Job::new(Plan::default(), Saved::default(), at(0));
    let mut told = Vec::new();
    for second in 1..=60_u64 {
        // A hundred thousand characters in each second, and in the last ten seconds only one.
        let total = 100_000 * second.min(50) + second.saturating_sub(50);
        job.grew(total, at(second * 1_000));
        if job.tick(at(second * 1_000), &mut |_| true) == [Event::Wrote] {
            told.push(second);
        }
    }
    assert_eq!(told, (1..=12).map(|round| round * 5).collect::<Vec<_>>());
}

proptest! {
    #[test]
    fn pieces_never_change_what_is_told(
        text in "(go|no|\n|\r\n|\u{1b}\\[32m|é|line [0-9]){0,80}",
        cuts in prop::collection::vec(1_usize..12, 0..80),
        pause in 0_u64..40_000,
    ) {
        let run = |pieces: &[&str]| {
            let mut heard = Heard::new(plan(&["go", r"line \d"]));
            for _ in 0..3 {
                for piece in pieces {
                    let now = heard.now;
                    heard.write(now, piece);
                }
                let later = heard.now + pause;
                heard.until(later);
            }
            heard.end();
            heard.events
        };
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        for cut in cuts {
            let end = rest.char_indices().nth(cut).map_or(rest.len(), |(at, _)| at);
            let (piece, after) = rest.split_at(end);
            pieces.push(piece);
            rest = after;
        }
        pieces.push(rest);
        prop_assert_eq!(run(&[&text]), run(&pieces));
    }
}
