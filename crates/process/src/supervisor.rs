//! The gateway's side: starts shims, listens to them, finds them again, and asks them to stop their jobs.

mod at_once; // a stop that needs no runtime
mod attend; // one task per living shim
mod groups; // where jobs get groups of their own
mod launch; // from a specification to a running command
mod line; // words to and from a shim
mod members; // who belongs to jobs now
mod orphans; // what a shim that was killed has left behind
mod recover; // run directories after a restart
mod settle; // what a run directory says once its shim is gone
mod stray; // living jobs that nobody knows of
mod typing; // typing to a job, and the size of its terminal

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gatehouse_domain::{EpochMs, Exit, ProcessId};
use tokio::sync::{OnceCell, mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::cgroup::{self, Groups};
use crate::error::{Error, LaunchError, Result, doing};
use crate::input::{PtySize, Stdin};
use crate::limits;
use crate::output::{self, OutputSlice};
use crate::rundir::{CHILD, ChildRecord, RunDir, SOCKET, SPEC, Spec};
use crate::shim_copy;
use attend::Command;
pub use members::Members;
use orphans::Orphans;
use settle::Settled;
pub use stray::Stray;
pub use typing::WriteOutcome;

/// How long a tree that was asked to end may take before it is killed.
pub const GRACE: Duration = Duration::from_secs(2);
/// Beyond the grace: looking whether KILL worked, and a busy machine.
const STOP_SLACK: Duration = Duration::from_secs(5);

/// Where things lie.
#[derive(Debug, Clone)]
pub struct SupervisorConfig {
    /// Run directories, one per process id.
    pub runs_dir: PathBuf,
    /// Copies of the shim.
    pub bin_dir: PathBuf,
    /// The shim as it was installed.
    pub shim_source: PathBuf,
    /// Where jobs get groups of their own.
    pub groups: Groups,
}

/// A command to start.
#[derive(Debug, Clone)]
pub struct LaunchSpec {
    /// Never used before.
    pub id: ProcessId,
    /// Run as `<shell> -c <command>`.
    pub command: String,
    /// Where; the nearest ancestor that can be entered is taken if this one cannot.
    pub cwd: PathBuf,
    /// Which shell.
    pub shell: PathBuf,
    /// The complete environment, without secrets.
    pub env: Vec<(OsString, OsString)>,
    /// With a terminal of this size, if one can be had.
    pub pty: Option<PtySize>,
    /// What it reads from without a terminal.
    pub stdin: Stdin,
    /// Its shim stops it after this long, also while no gateway lives.
    pub max_runtime: Option<Duration>,
    /// A word of the caller's that is kept with it; see [`Stray::owner`].
    pub owner: String,
}

/// A command that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launched {
    /// The direct child.
    pub pid: u32,
    /// Its start in clock ticks since boot.
    pub start_ticks: u64,
    /// Which boot.
    pub boot_id: String,
    /// Where it really runs.
    pub cwd: PathBuf,
    /// Why that is not where it was asked to run.
    pub cwd_note: Option<String>,
    /// Why it has no terminal although it was asked to have one.
    pub pty_note: Option<String>,
}

/// Something happened to a process. Events of one process come in order; the first may come before the answer to
/// its launch is read. `Ended` comes exactly once per attachment: a process that is adopted after its end tells it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessEvent {
    /// Its output has grown; told at most every few milliseconds.
    Output {
        /// Whose.
        id: ProcessId,
        /// Bytes since the start.
        total: u64,
        /// When the shim saw it.
        at: EpochMs,
    },
    /// The direct child ended.
    Ended {
        /// Which.
        id: ProcessId,
        /// How.
        report: EndReport,
    },
    /// The number of those left behind has changed.
    Descendants {
        /// Whose.
        id: ProcessId,
        /// How many live on.
        count: u32,
    },
    /// Whether it waits for somebody to type has changed.
    Attention {
        /// Which.
        id: ProcessId,
        /// It waits.
        needs_input: bool,
        /// What is typed will not be shown: a password.
        hidden: bool,
    },
    /// Nobody of the tree is left.
    TreeEmpty {
        /// Which.
        id: ProcessId,
        /// Bytes of output, those included that came after the end of the direct child.
        total: u64,
    },
    /// Its shim was killed, and its end was told: what becomes of those who live on is told no more.
    Orphaned {
        /// Whose.
        id: ProcessId,
        /// Who they are. They can be stopped.
        survivors: Vec<u32>,
        /// Somebody else may live on unseen.
        escape_possible: bool,
        /// Bytes of output. There will not be more.
        total: u64,
    },
}

/// How a direct child ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndReport {
    /// The kernel's word; `Unknown` only if the process is lost.
    pub exit: Exit,
    /// When. For a lost process: the last sign of life.
    pub ended_at: EpochMs,
    /// Bytes of output at that moment.
    pub output_total: u64,
    /// A stop was on its way, so this end is ours.
    pub stop_requested: bool,
    /// That stop came because its time was over.
    pub limit_reached: bool,
    /// How many of its tree live on.
    pub descendants: u32,
    /// Who they are. They can be stopped.
    pub survivors: Vec<u32>,
    /// Its shim was killed: nobody knows how it ended, or whether.
    pub lost: bool,
    /// Somebody of the tree may live on unseen: the shim was killed, and the job had no group of its own.
    pub escape_possible: bool,
}

/// How to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopMode {
    /// Ask, wait for [`GRACE`], kill.
    Graceful,
    /// Kill. Also skips the rest of the grace of a stop under way.
    Force,
}

/// The result of a stop, after looking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopOutcome {
    /// Whom even KILL did not end. Empty: the tree is gone.
    pub survivors: Vec<u32>,
    /// There was nobody to stop.
    pub already_ended: bool,
}

/// A run directory found at start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// Whose.
    pub id: ProcessId,
    /// What became of it.
    pub state: RecoveredState,
}

/// What became of a process while no gateway listened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecoveredState {
    /// Its shim lives and is listened to again. If the direct child has ended already, `Ended` follows as an event.
    Adopted {
        /// The direct child.
        pid: u32,
        /// Its start in clock ticks since boot.
        start_ticks: u64,
        /// Which boot.
        boot_id: String,
    },
    /// It ended, and its whole tree did; or it is lost, as the report says.
    Ended(EndReport),
    /// It never ran, and never will.
    NeverRan {
        /// Why, if its shim had a reason.
        reason: Option<String>,
    },
    /// Its shim lives but does not answer, or its directory cannot be read; recovering again later is safe.
    Unreachable,
}

/// All processes of one profile.
#[derive(Debug, Clone)]
pub struct Supervisor {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: SupervisorConfig,
    events: mpsc::Sender<ProcessEvent>,
    shim: OnceCell<shim_copy::Copy>,
    room: groups::Room,
    /// Held for single insertions and look-ups only.
    attended: Mutex<HashMap<ProcessId, Attended>>,
}

#[derive(Debug)]
struct Attended {
    commands: mpsc::Sender<Command>,
    task: JoinHandle<()>,
}

impl Supervisor {
    /// Makes the run directory's parent, and room for the descriptors of many jobs. Nothing is started or recovered
    /// yet.
    pub fn new(config: SupervisorConfig, events: mpsc::Sender<ProcessEvent>) -> Result<Self> {
        use std::os::unix::fs::DirBuilderExt;
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&config.runs_dir)
            .map_err(doing("creating the run directories"))?;
        limits::raise();
        let inner =
            Inner { config, events, shim: OnceCell::new(), room: groups::Room::default(), attended: Mutex::default() };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Starts a command; answered once it runs. Goes on to the end even if the caller stops waiting.
    pub async fn launch(&self, spec: LaunchSpec) -> std::result::Result<Launched, LaunchError> {
        let inner = Arc::clone(&self.inner);
        let launch = tokio::spawn(async move { launch::launch(&inner, spec).await });
        launch
            .await
            .unwrap_or_else(|error| Err(LaunchError::Io { doing: "launching", source: io::Error::other(error) }))
    }

    /// Stops a whole tree; answered once it was verified. A shim that lives without being listened to is found again.
    pub async fn stop(&self, id: ProcessId, mode: StopMode) -> Result<StopOutcome> {
        if let Some(outcome) = self.ask_to_stop(id, mode).await? {
            return Ok(outcome);
        }
        match self.stop_without_shim(id, mode).await {
            Err(Error::Unresponsive(_)) => {}
            other => return other,
        }
        self.recover(&[id]).await?;
        self.ask_to_stop(id, mode).await?.ok_or(Error::Unresponsive(id))
    }

    /// Nothing without somebody who listens to its shim.
    async fn ask_to_stop(&self, id: ProcessId, mode: StopMode) -> Result<Option<StopOutcome>> {
        let Some(commands) = self.inner.commands(id) else { return Ok(None) };
        let (reply, answer) = oneshot::channel();
        if commands.send(Command::Stop { mode, reply }).await.is_err() {
            return Ok(None);
        }
        match tokio::time::timeout(GRACE + STOP_SLACK, answer).await {
            Ok(Ok(outcome)) => Ok(Some(outcome)),
            Ok(Err(_task_ended)) => Ok(None),
            Err(_) => Err(Error::Unresponsive(id)),
        }
    }

    /// Asks the shim to stop a whole tree and says who is left, on the calling thread and without a runtime. An error
    /// also says that there is no shim.
    pub fn stop_blocking(&self, id: ProcessId) -> Result<Vec<u32>> {
        at_once::stop(&self.inner.open(id)?).map_err(doing("stopping a process at once"))
    }

    async fn stop_without_shim(&self, id: ProcessId, mode: StopMode) -> Result<StopOutcome> {
        let run = self.inner.open(id)?;
        let nobody = StopOutcome { survivors: Vec::new(), already_ended: true };
        let child = match settle::settle(&run).map_err(doing("reading a run directory"))? {
            Settled::Alive => return Err(Error::Unresponsive(id)),
            Settled::Ended(_) if left_by_itself(&run).map_err(doing("reading a run directory"))? => return Ok(nobody),
            Settled::Ended(_) => run.record(CHILD).map_err(doing("reading who ran"))?,
            Settled::Lost(child) => Some(child),
            Settled::NeverRan(_) => None,
        };
        let Some(child) = child else { return Ok(nobody) };
        let mut orphans = Orphans::new(id, &run, &child).map_err(doing("looking for survivors"))?;
        if orphans.living().map_err(doing("looking for survivors"))?.is_empty() {
            return Ok(nobody);
        }
        let survivors = orphans.stop(mode).await.map_err(doing("stopping survivors"))?;
        Ok(StopOutcome { survivors, already_ended: false })
    }

    /// Who of a process's tree lives although its shim does not. Costs a look at every process of the system.
    pub fn survivors(&self, id: ProcessId) -> Result<Vec<u32>> {
        let run = self.inner.open(id)?;
        let child: Option<ChildRecord> = run.record(CHILD).map_err(doing("reading who ran"))?;
        let living = child.map_or(Ok(Vec::new()), |child| Orphans::new(id, &run, &child)?.living());
        living.map_err(doing("looking for survivors"))
    }

    /// Who belongs to these jobs now; jobs of which nobody lives are left out. It reads the whole process table, so it
    /// is not for the threads of a runtime.
    pub fn members(&self, ids: &[ProcessId]) -> Result<Vec<Members>> {
        members::of(&self.inner, ids)
    }

    /// Reads output from disk, of living and ended processes alike; without `from`, the last `max` bytes.
    pub fn read_output(&self, id: ProcessId, from: Option<u64>, max: usize) -> Result<OutputSlice> {
        output::read(&self.inner.open(id)?, from, max).map_err(doing("reading output"))
    }

    /// When this process last wrote anything, from disk; absent if it never did.
    pub fn last_output(&self, id: ProcessId) -> Result<Option<EpochMs>> {
        settle::last_output(&self.inner.open(id)?).map_err(doing("reading when output came"))
    }

    /// The end of this process is recorded durably: its shim need not see to that.
    pub fn acknowledge_end(&self, id: ProcessId) {
        if let Some(commands) = self.inner.commands(id)
            && let Err(error) = commands.try_send(Command::AcknowledgeEnd)
        {
            // The shim then makes the disk promise by itself.
            tracing::debug!(%id, %error, "The end could not be acknowledged");
        }
    }

    /// Finds out what became of these processes, and listens to those that live.
    pub async fn recover(&self, ids: &[ProcessId]) -> Result<Vec<Recovered>> {
        recover::recover(&self.inner, ids).await
    }

    /// Living jobs other than the `known` ones: somebody lost the rows that told of them. Nobody listens to them yet.
    /// It reads directories, so it is not for the threads of a runtime.
    pub fn strays(&self, known: &HashSet<ProcessId>) -> Result<Vec<Stray>> {
        stray::find(&self.inner.config.runs_dir, known).map_err(doing("looking for jobs that nobody knows of"))
    }

    /// Stops listening. The shims and their jobs live on.
    pub async fn shutdown(&self) {
        let attended: Vec<_> = self.inner.attended().drain().map(|(_, attended)| attended).collect();
        for Attended { commands, task } in attended {
            drop(commands);
            if let Err(error) = task.await {
                tracing::warn!(%error, "A process's task failed");
            }
        }
    }

    /// Forgets a process that is gone, output included.
    pub fn remove_run(&self, id: ProcessId) -> Result<()> {
        let run = match self.inner.open(id) {
            Ok(run) => run,
            Err(Error::UnknownProcess(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        let Some(_lock) = run.try_lock().map_err(doing("locking a run directory"))? else {
            return Err(Error::StillAlive(id));
        };
        let spec: Option<Spec> = run.record(SPEC).unwrap_or_default();
        if let Some(group) = spec.and_then(|spec| spec.group) {
            cgroup::remove(&PathBuf::from(OsString::from(group)));
        }
        std::fs::remove_dir_all(self.inner.path(id)).map_err(doing("removing a run directory"))
    }
}

impl Inner {
    fn attended(&self) -> MutexGuard<'_, HashMap<ProcessId, Attended>> {
        // Every critical section is a single map operation: a panic cannot leave it half done.
        self.attended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn commands(&self, id: ProcessId) -> Option<mpsc::Sender<Command>> {
        self.attended().get(&id).map(|attended| attended.commands.clone())
    }

    fn path(&self, id: ProcessId) -> PathBuf {
        self.config.runs_dir.join(id.to_string())
    }

    fn open(&self, id: ProcessId) -> Result<RunDir> {
        RunDir::open(&self.path(id)).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => Error::UnknownProcess(id),
            _ => Error::Io { doing: "opening a run directory", source },
        })
    }

    /// Starts the task that listens to a shim, and forgets tasks that have ended.
    fn attend(&self, attendant: attend::Attendant) {
        let (commands, receiver) = mpsc::channel(attend::COMMANDS);
        let id = attendant.id();
        let task = tokio::spawn(attendant.attend(receiver));
        let mut attended = self.attended();
        attended.retain(|_, other| !other.task.is_finished());
        attended.insert(id, Attended { commands, task });
    }
}

/// Whether a shim that is gone was not killed. It removes its socket when the kernel has told it that nobody is left.
fn left_by_itself(run: &RunDir) -> io::Result<bool> {
    Ok(!run.has(SOCKET)?)
}

impl EndReport {
    fn of(exit: &crate::rundir::ExitRecord, survivors: Vec<u32>) -> Self {
        Self {
            exit: exit.exit(),
            ended_at: EpochMs(exit.ended_at_ms),
            output_total: exit.output_total,
            stop_requested: exit.stop_requested,
            limit_reached: exit.limit_reached,
            descendants: u32::try_from(survivors.len()).unwrap_or(u32::MAX),
            survivors,
            lost: false,
            escape_possible: false,
        }
    }

    /// Nothing is left that tells of the process: when it was last heard of, and how much it had put out then.
    pub const fn gone(ended_at: EpochMs, output_total: u64) -> Self {
        Self {
            exit: Exit::Unknown,
            ended_at,
            output_total,
            stop_requested: false,
            limit_reached: false,
            descendants: 0,
            survivors: Vec::new(),
            lost: true,
            escape_possible: false,
        }
    }

    /// The shim is gone, but told of the end before.
    fn left(exit: &crate::rundir::ExitRecord, id: ProcessId, run: &RunDir) -> io::Result<Self> {
        let child = if left_by_itself(run)? { None } else { run.record::<ChildRecord>(CHILD)? };
        let Some(child) = child else { return Ok(Self::of(exit, Vec::new())) };
        let mut orphans = Orphans::new(id, run, &child)?;
        let escape_possible = orphans.may_have_escaped()?;
        Ok(Self { escape_possible, ..Self::of(exit, orphans.living()?) })
    }

    fn lost(id: ProcessId, run: &RunDir, child: &ChildRecord) -> io::Result<Self> {
        let mut orphans = Orphans::new(id, run, child)?;
        let survivors = orphans.living()?;
        Ok(Self {
            exit: Exit::Unknown,
            ended_at: settle::last_sign_of_life(run)?,
            output_total: output::Progress::read(run)?.total,
            stop_requested: false,
            limit_reached: false,
            descendants: u32::try_from(survivors.len()).unwrap_or(u32::MAX),
            survivors,
            lost: true,
            escape_possible: orphans.may_have_escaped()?,
        })
    }
}
