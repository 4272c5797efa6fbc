//! The supervisor with the real shim and real processes. The modules are marked as tests for the sake of lints that spare those.

#[cfg(test)]
mod endings; // exit status, output and what is left behind
#[cfg(test)]
mod group_room; // a cgroup v2 directory to test in
#[cfg(test)]
mod groups; // jobs in groups of their own
#[cfg(test)]
mod houses; // run directories, environments and starts that fail
#[cfg(test)]
mod orphans; // jobs whose shim was killed, and strangers who look like theirs
#[cfg(test)]
mod real_systemd; // groups below a scope of a systemd that is none of the tests'
#[cfg(test)]
mod restarts; // gateways and shims that die
#[cfg(test)]
mod room; // time, files, memory and disk that a job may have
#[cfg(test)]
mod scopes; // groups below a scope of systemd's
#[cfg(test)]
mod stops; // the ladder
#[cfg(test)]
mod support; // a supervisor in a home of its own
#[cfg(test)]
mod terminals; // jobs that have one
#[cfg(test)]
mod trees; // sixty trees that do not want to end
#[cfg(test)]
mod typing; // what is typed to a job
#[cfg(test)]
mod volumes; // much output, many processes
#[cfg(test)]
mod waiting; // jobs that wait for somebody to type
