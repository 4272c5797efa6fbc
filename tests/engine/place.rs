//! The programs beside each other, as an installation puts them.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gatehouse_tests::{House, Result, program};

/// The starter model's file, as the product looks for it.
const STARTER: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

/// A house with all of the product in it.
pub(crate) struct Place {
    pub(crate) house: Arc<House>,
    pub(crate) programs: PathBuf,
}

impl Place {
    /// With an empty home but for the starter model.
    pub(crate) fn new() -> Result<Self> {
        let place = Self::without_engine()?;
        lay(&named("GATEHOUSE_ENGINE")?, &place.engine())?;
        Ok(place)
    }

    /// The same, with a script in the place of the engine, which it is told.
    pub(crate) fn with_script(script: impl Fn(&Path) -> String) -> Result<Self> {
        let place = Self::without_engine()?;
        fs::write(place.engine(), script(&named("GATEHOUSE_ENGINE")?))?;
        fs::set_permissions(place.engine(), Permissions::from_mode(0o755))?;
        Ok(place)
    }

    fn without_engine() -> Result<Self> {
        let house = Arc::new(House::new()?);
        let programs = house.root().join("programs");
        fs::create_dir(&programs)?;
        for name in ["gatehouse", "gatehouse-server", "gatehouse-shim"] {
            lay(&program(name)?, &programs.join(name))?;
        }
        fs::create_dir_all(house.home().join("models"))?;
        lay(&starter()?, &house.home().join("models").join(STARTER))?;
        Ok(Self { house, programs })
    }

    /// Where the product looks for the engine.
    pub(crate) fn engine(&self) -> PathBuf {
        self.programs.join("gatehouse-engine")
    }

    /// Sets a model file up, and nothing else.
    pub(crate) fn answers_with(&self, model: &Path) -> Result {
        fs::create_dir_all(self.house.profile())?;
        let config = format!("[[provider]]\nname = \"mine\"\nkind = \"embedded\"\nmodels = [{:?}]\n", model.display());
        Ok(fs::write(self.house.profile().join("config.toml"), config)?)
    }
}

/// The starter model's file.
pub(crate) fn starter() -> Result<PathBuf> {
    named("GATEHOUSE_STARTER")
}

fn named(variable: &str) -> Result<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file());
    path.ok_or_else(|| format!("{variable} names no file. Run: npm run engine").into())
}

/// A link where the file system can, since none of them is ever written to.
fn lay(from: &Path, to: &Path) -> Result {
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to)?;
    }
    Ok(())
}
