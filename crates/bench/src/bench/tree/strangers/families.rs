use std::collections::HashMap;

use super::line::Birth;

/// So far up is told from whom somebody descends.
const GENERATIONS: usize = 12;

/// Somebody. The kernel gives numbers to others again, within minutes where many are born, so a number alone is nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Person(usize);

#[derive(Debug)]
struct Life {
    pid: u32,
    /// The line in which they are first met.
    since: usize,
    descent: Descent,
    has_ended: bool,
}

impl Life {
    const fn is_told(&self) -> bool {
        matches!(self.descent, Descent::Child(_) | Descent::Thread(_))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Descent {
    /// Nobody told.
    Untold,
    /// Nobody told; the kernel named a parent when it was asked last.
    Seen(Person),
    Child(Person),
    Thread(Person),
}

/// Who started whom.
#[derive(Debug)]
pub(super) struct Families {
    lives: Vec<Life>,
    /// Who bore a number last.
    last: HashMap<u32, Person>,
    /// Births under way: since which line, and whether it is that of a thread.
    begun: HashMap<u32, (usize, bool)>,
    /// Who was interrupted while they made somebody, and in which line they began to.
    cut_off: Vec<(Person, usize)>,
    server: Person,
}

impl Families {
    /// Of a server, and its threads at the beginning.
    pub fn of(server: u32, threads: &[u32]) -> Self {
        let mut families = Self {
            lives: Vec::new(),
            last: HashMap::new(),
            begun: HashMap::new(),
            cut_off: Vec::new(),
            server: Person(0),
        };
        families.server = families.add(0, server, Descent::Untold);
        for thread in threads.iter().filter(|thread| **thread != server) {
            families.add(0, *thread, Descent::Thread(families.server));
        }
        families
    }

    fn add(&mut self, since: usize, pid: u32, descent: Descent) -> Person {
        let person = Person(self.lives.len());
        self.lives.push(Life { pid, since, descent, has_ended: false });
        self.last.insert(pid, person);
        person
    }

    fn life(&self, person: Person) -> Option<&Life> {
        self.lives.get(person.0)
    }

    fn descent(&self, person: Person) -> Descent {
        self.life(person).map_or(Descent::Untold, |life| life.descent)
    }

    fn living(&self, pid: u32) -> Option<Person> {
        self.last.get(&pid).copied().filter(|person| self.life(*person).is_some_and(|life| !life.has_ended))
    }

    /// Somebody has a line, so they live.
    pub fn hear(&mut self, at: usize, pid: u32) -> Person {
        self.living(pid).unwrap_or_else(|| self.add(at, pid, Descent::Untold))
    }

    /// Whom a signal reaches: whoever lives under the number or, until it is given to another, did.
    pub fn target(&mut self, at: usize, pid: u32) -> Person {
        self.last.get(&pid).copied().unwrap_or_else(|| self.add(at, pid, Descent::Untold))
    }

    /// Somebody makes somebody.
    pub fn birth(&mut self, at: usize, pid: u32, birth: Birth) {
        let (begun, is_thread) =
            if birth.is_end { self.begun.remove(&pid).unwrap_or((at, false)) } else { (at, false) };
        let is_thread = is_thread || birth.thread;
        if birth.is_beginning && !birth.is_end {
            self.begun.insert(pid, (at, is_thread));
        }
        let Some(parent) = self.living(pid) else { return };
        let Some(born) = birth.child else {
            if !birth.is_beginning {
                self.cut_off.push((parent, begun));
            }
            return;
        };
        let parent = self.process_of(parent);
        let descent = if is_thread { Descent::Thread(parent) } else { Descent::Child(parent) };
        // Who was born may have been met before the call came back.
        let met = self.last.get(&born).copied();
        let is_met = |life: &Life| !life.is_told() && life.since > begun;
        match met.and_then(|person| self.lives.get_mut(person.0)).filter(|life| is_met(life)) {
            Some(life) => life.descent = descent,
            None => drop(self.add(at, born, descent)),
        }
    }

    /// Somebody ends.
    pub fn end(&mut self, pid: u32) {
        let Some(person) = self.living(pid) else { return };
        if let Some((since, _)) = self.begun.remove(&pid) {
            self.cut_off.push((person, since));
        }
        if let Some(life) = self.lives.get_mut(person.0) {
            life.has_ended = true;
        }
    }

    /// The kernel was asked about a number. Its word counts where nobody told of a birth: one that KILL interrupts is in
    /// no trace.
    pub fn looked(&mut self, at: usize, pid: u32, parent: u32, is_dead: bool) {
        let person = match self.living(pid) {
            Some(person) => person,
            // Whoever is dead bears the number until somebody collects them.
            None if is_dead => self.target(at, pid),
            None => self.add(at, pid, Descent::Untold),
        };
        let parent = self.target(at, parent);
        if let Some(life) = self.lives.get_mut(person.0).filter(|life| !life.is_told()) {
            life.descent = Descent::Seen(parent);
        }
    }

    /// The process that a thread belongs to.
    pub fn process_of(&self, person: Person) -> Person {
        match self.descent(person) {
            Descent::Thread(process) => process,
            Descent::Child(_) | Descent::Seen(_) | Descent::Untold => person,
        }
    }

    fn parent(&self, process: Person) -> Option<Person> {
        match self.descent(process) {
            Descent::Child(parent) | Descent::Seen(parent) => Some(parent),
            Descent::Thread(_) | Descent::Untold => None,
        }
    }

    fn is_shim(&self, process: Person) -> bool {
        self.descent(process) == Descent::Child(self.server)
    }

    /// The server and its shims.
    pub fn is_ours(&self, sender: Person) -> bool {
        let process = self.process_of(sender);
        process == self.server || self.is_shim(process)
    }

    /// A shim may signal its descendants; the server, those of its shims.
    pub fn is_job_of(&self, target: Person, sender: Person) -> bool {
        let (mut at, sender) = (self.process_of(target), self.process_of(sender));
        let is_root = |person| if sender == self.server { self.is_shim(person) } else { person == sender };
        // A look while somebody is handed on may name each as the other's parent.
        for _ in 0..self.lives.len() {
            match self.parent(at) {
                Some(parent) if is_root(parent) => return true,
                Some(parent) => at = parent,
                None => break,
            }
        }
        false
    }

    /// From somebody up to the first.
    pub fn line_of(&self, person: Person) -> String {
        let mut words = String::new();
        let mut next = Some(person);
        for _ in 0..GENERATIONS {
            let Some(life) = next.and_then(|person| self.life(person)) else { break };
            words +=
                &format!("{} (since line {}{})", life.pid, life.since, if life.has_ended { ", ended" } else { "" });
            let (how, parent) = match life.descent {
                Descent::Child(parent) => (" < ", Some(parent)),
                Descent::Thread(process) => (" a thread of ", Some(process)),
                Descent::Seen(parent) => (" < as the kernel says ", Some(parent)),
                Descent::Untold => (" < nobody", None),
            };
            words += how;
            next = parent;
        }
        words
    }

    /// Births without a number.
    pub fn cut_off(&self) -> String {
        let words = |(person, since): &(Person, usize)| format!("line {since} by {}", self.line_of(*person));
        let all: Vec<String> = self.cut_off.iter().map(words).collect();
        if all.is_empty() { "none".to_owned() } else { all.join("; ") }
    }
}
