//! What can be wrong with the store, how it is found out, and what a person is told.

pub(crate) mod cause; // one closed table: error, machine code, words, remedy
pub(crate) mod check; // looks the file through, within a bound
pub(crate) mod holders; // which programs have the file open
pub(crate) mod index; // the search index, built anew once
pub(crate) mod place; // whether the path still names the file that we hold
pub(crate) mod trouble; // one failure, with its words
