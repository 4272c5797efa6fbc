//! The supervisor with the real shim and real processes.

mod endings; // exit status, output and what is left behind
mod houses; // run directories, environments and starts that fail
mod restarts; // gateways and shims that die
mod stops; // the ladder
mod support; // a supervisor in a home of its own
mod volumes; // much output, many processes
