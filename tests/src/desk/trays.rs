//! A panel that shows trays, and what a person does with one.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use zbus::message::Header;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};
use zbus::{Connection, Proxy};

use super::Bus;
use super::app::LOOK;
use crate::{LIMIT, Result};

const NAME: &str = "org.kde.StatusNotifierWatcher";
const PATH: &str = "/StatusNotifierWatcher";

/// A running one. It is gone when it is dropped.
#[derive(Debug)]
pub struct Trays {
    connection: Connection,
    icons: Arc<watch::Sender<Vec<Icon>>>,
}

/// Who put an icon there, and where it says the rest.
#[derive(Debug, Clone)]
struct Icon {
    program: String,
    place: String,
}

/// A line of a menu, and those below it.
type Line = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

impl Trays {
    /// Takes its place on a bus.
    pub async fn on(bus: &Bus) -> Result<Self> {
        let icons = Arc::new(watch::Sender::new(Vec::new()));
        let connection = bus.connect().await?;
        connection.object_server().at(PATH, Face(Arc::clone(&icons))).await?;
        connection.request_name(NAME).await?;
        Ok(Self { connection, icons })
    }

    /// Waits until a program has put its icon there.
    pub async fn has_one(&self) -> Result {
        let mut icons = self.icons.subscribe();
        timeout(LIMIT, icons.wait_for(|icons| !icons.is_empty())).await.map_err(|_| "no icon in the tray")??;
        Ok(())
    }

    /// Waits until the menu of the newest icon has exactly these lines, without those that only part others.
    pub async fn says(&self, lines: &[&str]) -> Result {
        let deadline = Instant::now() + LIMIT;
        loop {
            // The program may be about to come or go, and is asked again.
            let found = self.lines().await.map(|(_, found)| found.into_iter().map(|(_, words)| words).collect());
            let found: Vec<String> = match found {
                Ok(found) if found == lines => return Ok(()),
                other => other.unwrap_or_else(|error| vec![error.to_string()]),
            };
            if Instant::now() > deadline {
                return Err(format!("the tray's menu has {found:?} and not {lines:?}").into());
            }
            sleep(LOOK).await;
        }
    }

    /// Presses one line of that menu.
    pub async fn press(&self, words: &str) -> Result {
        let (menu, lines) = self.lines().await?;
        let line = lines.into_iter().find(|(_, said)| said == words);
        let (id, _) = line.ok_or_else(|| format!("the tray's menu has no {words:?}"))?;
        Ok(menu.call("Event", &(id, "clicked", Value::from(0_i32), 0_u32)).await?)
    }

    /// The menu, and each of its lines with its number.
    async fn lines(&self) -> Result<(Proxy<'_>, Vec<(i32, String)>)> {
        self.has_one().await?;
        let Icon { program, place } = self.icons.borrow().last().cloned().ok_or("no icon in the tray")?;
        let item = Proxy::new(&self.connection, program.clone(), place, "org.kde.StatusNotifierItem").await?;
        let menu: OwnedObjectPath = item.get_property("Menu").await?;
        let menu = Proxy::new(&self.connection, program, menu, "com.canonical.dbusmenu").await?;
        let all: (u32, Line) = menu.call("GetLayout", &(0_i32, -1_i32, vec!["label"])).await?;
        let mut lines = Vec::new();
        for below in all.1.2 {
            let (id, mut facts, _) = Line::try_from(below)?;
            if let Some(label) = facts.remove("label") {
                lines.push((id, String::try_from(label)?));
            }
        }
        Ok((menu, lines))
    }
}

struct Face(Arc<watch::Sender<Vec<Icon>>>);

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Face {
    fn register_status_notifier_item(&self, service: String, #[zbus(header)] header: Header<'_>) {
        let program = header.sender().map(ToString::to_string).unwrap_or_default();
        self.0.send_modify(|icons| icons.push(Icon { program, place: service }));
    }

    fn register_status_notifier_host(&self, _service: String) {}

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        self.0.borrow().iter().map(|icon| format!("{}{}", icon.program, icon.place)).collect()
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }
}
