//! The kinds of danger.

macro_rules! categories {
    ($($(#[$meta:meta])* $variant:ident = $key:literal),+ $(,)?) => {
        /// What kind of damage a command can do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum DangerCategory { $($(#[$meta])* $variant),+ }

        impl DangerCategory {
            /// Every kind, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable key.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $key),+ }
            }
        }
    };
}

categories! {
    /// Deletes folders with all that is in them.
    DeleteTree = "delete_tree",
    /// Opens files to everybody, or gives them to root.
    Permissions = "permissions",
    /// Writes to a disk below its files.
    Disk = "disk",
    /// Deletes rows or tables.
    Database = "database",
    /// Writes where the system lives.
    SystemFiles = "system_files",
    /// Changes what starts by itself.
    Startup = "startup",
    /// Touches keys or passwords.
    Secrets = "secrets",
    /// Touches what Gatehouse keeps.
    AppData = "app_data",
    /// Ends Gatehouse or its processes.
    AppLifecycle = "app_lifecycle",
    /// Stops or restarts a service.
    Service = "service",
    /// Ends programs by force.
    ForceKill = "force_kill",
    /// Runs what comes from the network.
    RemoteCode = "remote_code",
    /// Runs what was hidden by an encoding.
    DecodedCode = "decoded_code",
    /// Runs code that is handed to an interpreter.
    InlineCode = "inline_code",
    /// Makes a harmless program start another.
    HiddenProgram = "hidden_program",
    /// Runs a file that it has just made runnable.
    MadeRunnable = "made_runnable",
    /// Asks a cloud for the keys of this machine.
    CloudMetadata = "cloud_metadata",
    /// Ends containers, or gives one the run of the house.
    Containers = "containers",
    /// Takes down what runs elsewhere.
    Infrastructure = "infrastructure",
    /// Loses work that a repository holds.
    GitLoss = "git_loss",
    /// Runs as administrator.
    Elevated = "elevated",
    /// Removes software.
    Packages = "packages",
    /// Cannot be read.
    Unreadable = "unreadable",
}
