//! One loop over everything that can happen: somebody ended, somebody spoke, output came, a deadline passed.

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};

use gatehouse_fault::{Point, point};
use gatehouse_process::cgroup::Group;
use gatehouse_process::input::Refusal;
use gatehouse_process::os;
use gatehouse_process::rundir::{self, ExitRecord, RunDir, SOCKET};
use gatehouse_process::wire::{FromShim, ToShim};

use crate::ending::Ending;
use crate::job::{self, Failed};
use crate::ladder::{self, Ladder};
use crate::listeners::{self, Listeners};
use crate::ready::Ready;
use crate::reaper::{self, Reaped};
use crate::surroundings;
use crate::work::Work;

/// Progress is told this often at most.
const PROGRESS_MS: u64 = 16;
/// And so often where more has come meanwhile than anybody could read.
const TORRENT_MS: u64 = 100;
const TORRENT: u64 = 64 * 1024;
/// How long a tree may take whose time to run is over.
const LIMIT_GRACE_MS: u64 = 2000;
/// Those left behind are counted this often at most.
const COUNT_MS: u64 = 100;
/// Those left behind are looked for so often before an empty look is believed against the kernel's word.
const LOOKS: usize = 10;
/// A listener that takes nothing delays the end by this much.
const FAREWELL_MS: u64 = 1000;

/// One shim.
pub struct Shim {
    run: RunDir,
    door: UnixListener,
    listeners: Listeners,
    work: Option<Work>,
    ending: Ending,
    ladder: Option<Ladder>,
    is_stop_requested: bool,
    is_limit_reached: bool,
    told: Told,
    /// Set once nobody of the tree is left.
    empty_since_ms: Option<u64>,
}

#[derive(Default)]
struct Told {
    total: u64,
    at_ms: u64,
}

impl Told {
    /// When it is told that there are `total` bytes.
    const fn next_at_ms(&self, total: u64) -> u64 {
        let pause = if total.saturating_sub(self.total) > TORRENT { TORRENT_MS } else { PROGRESS_MS };
        self.at_ms + pause
    }
}

pub fn mono_ms() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec.cast_unsigned() * 1000 + now.tv_nsec.cast_unsigned() / 1_000_000
}

impl Shim {
    /// Takes the run over and starts its command.
    pub fn begin(run: RunDir, first: Option<UnixStream>) -> io::Result<Self> {
        let mut ending = Ending::reserve(&run)?;
        let door = listeners::bind(&run, SOCKET)?;
        let work = match job::start(&run).and_then(|job| Work::over(job, mono_ms())) {
            Ok(work) => Some(work),
            Err(failed) => {
                let reason = match failed {
                    Failed::Reason(reason) => reason,
                    Failed::Io(error) => format!("the command could not be looked after: {error}"),
                };
                let record =
                    ExitRecord { failed: Some(reason), ended_at_ms: rundir::wall_ms(), ..ExitRecord::default() };
                ending.write(&run, record, mono_ms());
                None
            }
        };
        // Whoever draws, types or computes comes before what a job writes. The job itself runs as any other program.
        if let Err(error) = os::give_way() {
            surroundings::complain(&error);
        }
        let empty_since_ms = work.is_none().then(mono_ms);
        let mut listeners = Listeners::default();
        if let Some(socket) = first {
            listeners.admit(socket);
        }
        Ok(Self {
            run,
            door,
            listeners,
            work,
            ending,
            ladder: None,
            is_stop_requested: false,
            is_limit_reached: false,
            told: Told::default(),
            empty_since_ms,
        })
    }

    /// Until the tree is empty and its end is safe.
    pub fn serve(mut self) -> io::Result<()> {
        while !self.is_done() {
            let ready = self.wait()?;
            if ready.reaped {
                self.collect()?;
            }
            if ready.group {
                self.group_changed()?;
            }
            if let Some(work) = self.work.as_mut().filter(|_| ready.output) {
                work.pull(&self.run, mono_ms())?;
            }
            if ready.input {
                self.hand_on();
            }
            if ready.door {
                self.answer_door();
            }
            if ready.listeners {
                self.attend()?;
            }
            self.keep_time()?;
        }
        point(Point::ShimDone);
        self.run.remove(SOCKET)
    }

    fn is_done(&self) -> bool {
        let Some(since) = self.empty_since_ms else { return false };
        self.ending.is_safe() && (self.listeners.have_taken_all() || mono_ms() > since + FAREWELL_MS)
    }

    fn wait(&self) -> io::Result<Ready> {
        let now = mono_ms();
        let span = self.deadline_ms(now).map(|at| at.saturating_sub(now));
        let work = self.work.as_ref();
        Ready::within(span, &self.door, &self.listeners, work, self.empty_since_ms.is_none(), now)
    }

    fn deadline_ms(&self, now: u64) -> Option<u64> {
        let work = self.work.as_ref();
        [
            self.ladder.as_ref().map(|ladder| ladder.deadline_ms(now)),
            self.ending.deadline_ms(),
            work.filter(|work| self.may_tell(work)).map(|work| self.told.next_at_ms(work.total)),
            work.filter(|work| work.capture.is_some() && work.rest_until_ms > now).map(|work| work.rest_until_ms),
            work.and_then(|work| work.count_at_ms),
            work.and_then(|work| work.limit_at_ms),
            work.and_then(|work| work.console.as_ref()?.deadline_ms()),
            self.empty_since_ms.filter(|_| self.ending.is_safe()).map(|since| since + FAREWELL_MS + 1),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// A listener that has not read the last word gets no progress on top of it.
    fn may_tell(&self, work: &Work) -> bool {
        work.total != self.told.total && self.listeners.have_taken_all()
    }

    fn collect(&mut self) -> io::Result<()> {
        let Some(work) = &mut self.work else { return Ok(()) };
        // Its value says nothing; reading it only lowers the signal.
        let _ = rustix::io::read(&*work.reaper.ready, &mut [0; 8]);
        while let Some(reaped) = self.work.as_ref().and_then(|work| work.reaper.reaped.try_recv().ok()) {
            match reaped {
                Reaped::Job { exit, others } => self.job_ended(exit, others)?,
                Reaped::Other => self.somebody_ended(),
                Reaped::Everybody => {
                    self.work.iter_mut().for_each(|work| work.is_childless = true);
                    self.group_changed()?;
                }
            }
        }
        Ok(())
    }

    fn job_ended(&mut self, mut exit: ExitRecord, others: bool) -> io::Result<()> {
        let Some(work) = &mut self.work else { return Ok(()) };
        exit.ended_at_ms = rundir::wall_ms();
        work.pull_last(&self.run, others)?;
        work.limit_at_ms = None;
        let last_words = work.console.take().map(|mut console| console.end(mono_ms())).unwrap_or_default();
        last_words.iter().for_each(|word| self.listeners.tell(word));
        exit.output_total = work.total;
        exit.stop_requested = self.is_stop_requested;
        exit.limit_reached = self.is_limit_reached;
        self.ending.write(&self.run, exit.clone(), mono_ms());
        self.told.total = work.total;
        let left_behind = if others { left_behind(work.group.as_ref())? } else { Vec::new() };
        work.count = u32::try_from(left_behind.len()).unwrap_or(u32::MAX);
        // Whoever is just beginning may have more company in a moment.
        work.count_at_ms = others.then(|| mono_ms() + COUNT_MS);
        self.listeners.tell(&FromShim::Ended { exit, left_behind });
        Ok(())
    }

    fn somebody_ended(&mut self) {
        let has_ended = self.ending.record().is_some();
        if let Some(work) = self.work.as_mut().filter(|work| has_ended && work.count_at_ms.is_none()) {
            work.count_at_ms = Some(mono_ms() + COUNT_MS);
        }
    }

    /// Whoever was moved into the group without being below us counts as well.
    fn group_changed(&mut self) -> io::Result<()> {
        let Some(work) = self.work.as_ref().filter(|work| work.is_childless && self.empty_since_ms.is_none()) else {
            return Ok(());
        };
        if work.group.as_ref().is_some_and(|group| group.is_populated().unwrap_or(false)) {
            return Ok(());
        }
        self.everybody_ended()
    }

    fn everybody_ended(&mut self) -> io::Result<()> {
        let Some(work) = &mut self.work else { return Ok(()) };
        work.group.iter().for_each(Group::remove);
        if let Some(capture) = &mut work.capture {
            capture.pull_last(&self.run)?;
        }
        work.finish_output(&self.run);
        work.count_at_ms = None;
        self.told.total = work.total;
        self.empty_since_ms = Some(mono_ms());
        let total = work.total;
        self.end_ladder(&[]);
        self.listeners.tell(&FromShim::TreeEmpty { total });
        Ok(())
    }

    fn answer_door(&mut self) {
        match self.door.accept() {
            Ok((socket, _)) => self.listeners.admit(socket),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => crate::surroundings::complain(&error),
        }
    }

    fn attend(&mut self) -> io::Result<()> {
        let everything = {
            let (work, ending, is_empty) = (&self.work, &self.ending, self.empty_since_ms.is_some());
            let stop = || retell(work.as_ref(), ending, is_empty);
            self.listeners.attend(stop)
        };
        for word in everything {
            match word {
                ToShim::Stop { request, force, grace_ms } => self.stop(request, force, grace_ms)?,
                ToShim::AcknowledgeEnd => self.ending.acknowledge(),
                ToShim::Input { .. } | ToShim::Resize { .. } => self.hear_input(word),
                ToShim::Hello(_) => {}
            }
        }
        Ok(())
    }

    fn hear_input(&mut self, word: ToShim) {
        let words = match &mut self.work {
            Some(work) if self.ending.record().is_none() => work.hear(word, mono_ms()),
            Some(_) | None => match word {
                ToShim::Input { request, .. } | ToShim::Resize { request, .. } => {
                    vec![FromShim::Refused { request, why: Refusal::Ended }]
                }
                ToShim::Hello(_) | ToShim::Stop { .. } | ToShim::AcknowledgeEnd => Vec::new(),
            },
        };
        words.iter().for_each(|word| self.listeners.tell(word));
    }

    /// The job's input has room again.
    fn hand_on(&mut self) {
        let console = self.work.as_mut().and_then(|work| work.console.as_mut());
        let words = console.map(|console| console.flush(mono_ms())).unwrap_or_default();
        words.iter().for_each(|word| self.listeners.tell(word));
    }

    fn stop(&mut self, request: u64, force: bool, grace_ms: u64) -> io::Result<()> {
        // An end that lies there already came before the stop.
        self.collect()?;
        if self.empty_since_ms.is_some() {
            self.listeners.tell(&FromShim::Stopped { request, survivors: Vec::new() });
            return Ok(());
        }
        self.climb(Some(request), force, grace_ms)
    }

    /// Begins to end the tree, or goes on faster.
    fn climb(&mut self, request: Option<u64>, force: bool, grace_ms: u64) -> io::Result<()> {
        let Some(work) = &self.work else { return Ok(()) };
        let now = mono_ms();
        self.is_stop_requested |= reaper::is_running(work.child.pid);
        let is_root_alive = self.ending.record().is_none();
        let ladder = match &mut self.ladder {
            Some(ladder) => ladder,
            None if force => self.ladder.insert(Ladder::straight(now)),
            None => self.ladder.insert(Ladder::begin(&work.child, work.group.as_ref(), is_root_alive, grace_ms, now)?),
        };
        ladder.requests.extend(request);
        if force {
            ladder.force(now);
        }
        Ok(())
    }

    /// The time that the job may run is over.
    fn end_of_time(&mut self, now: u64) -> io::Result<()> {
        let Some(work) = self.work.as_mut().filter(|work| work.limit_at_ms.is_some_and(|at| now >= at)) else {
            return Ok(());
        };
        work.limit_at_ms = None;
        // An end that lies there already came first, and so does a stop that is on its way.
        self.collect()?;
        self.is_limit_reached = self.ending.record().is_none() && !self.is_stop_requested;
        if self.is_limit_reached {
            self.climb(None, false, LIMIT_GRACE_MS)?;
        }
        Ok(())
    }

    fn end_ladder(&mut self, survivors: &[u32]) {
        for request in self.ladder.take().map(|ladder| ladder.requests).unwrap_or_default() {
            self.listeners.tell(&FromShim::Stopped { request, survivors: survivors.to_vec() });
        }
    }

    fn keep_time(&mut self) -> io::Result<()> {
        let now = mono_ms();
        self.end_of_time(now)?;
        let is_root_alive = self.ending.record().is_none();
        let group = self.work.as_ref().and_then(|work| work.group.as_ref());
        let climb = |ladder: &mut Ladder| ladder.climb(group, is_root_alive, now);
        if let Some(survivors) = self.ladder.as_mut().map_or(Ok(None), climb)? {
            self.end_ladder(&survivors);
        }
        self.ending.tick(&self.run, now);
        if let Some(work) =
            self.work.as_ref().filter(|work| self.may_tell(work) && now >= self.told.next_at_ms(work.total))
        {
            self.told = Told { total: work.total, at_ms: now };
            self.listeners.tell(&FromShim::Output { total: work.total, at_ms: rundir::wall_ms() });
        }
        let Some(work) = &mut self.work else { return Ok(()) };
        let words = work.console.as_mut().map_or(Ok(Vec::new()), |console| console.keep_time(&self.run, now))?;
        words.iter().for_each(|word| self.listeners.tell(word));
        if work.count_at_ms.is_some_and(|at| now >= at) {
            work.count_at_ms = None;
            let count = u32::try_from(left_behind(work.group.as_ref())?.len()).unwrap_or(u32::MAX);
            if count != work.count {
                work.count = count;
                self.listeners.tell(&FromShim::Descendants { count });
            }
        }
        Ok(())
    }
}

/// Who lives on. Where the kernel says that somebody is there, a look that finds nobody has missed them and is no answer.
/// It may also have come before the reaper, or somebody else, such as a debugger, keeps the dead: that is not for ever.
fn left_behind(group: Option<&Group>) -> io::Result<Vec<u32>> {
    let mut living = ladder::members(group)?;
    for _ in 0..LOOKS {
        if !living.is_empty() || !reaper::has_children() {
            break;
        }
        std::thread::yield_now();
        living = ladder::members(group)?;
    }
    Ok(living.iter().map(|member| member.pid).collect())
}

/// What a newcomer must know.
fn retell(work: Option<&Work>, ending: &Ending, is_empty: bool) -> Vec<FromShim> {
    let mut words = Vec::new();
    words.extend(work.map(Work::retell).unwrap_or_default());
    if let Some(exit) = ending.record() {
        let group = work.and_then(|work| work.group.as_ref());
        let left_behind = if is_empty { Vec::new() } else { left_behind(group).unwrap_or_default() };
        words.push(FromShim::Ended { exit: exit.clone(), left_behind });
    }
    if is_empty {
        words.push(FromShim::TreeEmpty { total: work.map_or(0, |work| work.total) });
    }
    words
}
