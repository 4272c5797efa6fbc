//! What one transaction writes of what a process said.

use gatehouse_domain::{Attention, DeliveryState, Producer, UnitId, Wants};
use gatehouse_store::{NewItem, NewUnit, ProcessRow, Tx, UnitRow, WatchRow};

use super::telling::Telling;
use crate::process::end_unit;

/// What one transaction writes.
pub(super) struct Facts {
    pub row: ProcessRow,
    pub tellings: Vec<Telling>,
    /// Its end is reported from now on.
    pub promoted: Option<NewUnit>,
    pub watch: Option<WatchRow>,
    pub show: (Option<Attention>, bool),
    /// So many of its lines matched.
    pub matches: u64,
    /// What its person reads of it while it runs.
    pub line: Option<NewItem>,
}

impl Facts {
    pub fn write(&self, tx: &Tx<'_>) -> gatehouse_store::Result<()> {
        let id = self.row.id;
        for telling in &self.tellings {
            let waiting = self.waiting_beat(tx, telling)?;
            match waiting {
                Some(unit) => tx.units_mut().renew(unit, &telling.news, &telling.report)?,
                None => tx.units_mut().tell(&telling.unit, &telling.news, &telling.report)?,
            };
        }
        if let Some(unit) = &self.promoted {
            let owed = end_unit(tx, id)?;
            match owed {
                Some(owed) => tx.units_mut().promote(owed.id).map(|_| ())?,
                None => tx.units_mut().owe(unit)?,
            }
            tx.processes_mut().set_notify(id)?;
        }
        if let Some(watch) = &self.watch {
            tx.watches_mut().put(watch)?;
            tx.processes_mut().set_matches(id, self.matches).map(|_| ())?;
        }
        if let Some(line) = &self.line {
            self.put_line(tx, line)?;
        }
        tx.processes_mut().set_attention(id, self.show.0, self.show.1).map(|_| ())
    }

    /// One line for all that it writes: a person reads where it stands, not where it stood.
    fn put_line(&self, tx: &Tx<'_>, line: &NewItem) -> gatehouse_store::Result<()> {
        let id = self.row.id;
        let Some(row) = tx.processes().get(id)?.filter(|row| !row.state.is_final()) else { return Ok(()) };
        // Nobody else is told of its end: neither the agent nor whoever waits for its call.
        if end_unit(tx, id)?.is_none_or(|unit| unit.wants != Wants::Notice) {
            return Ok(());
        }
        match row.line {
            Some(known) => tx.items_mut().set_text(known, &line.text, false),
            None => {
                tx.items_mut().insert(line)?;
                tx.processes_mut().set_line(id, line.id)
            }
        }
    }

    /// A sign of life that nobody was told yet makes room for the next one: a session that is busy for an hour then
    /// hears one, not sixty.
    fn waiting_beat(&self, tx: &Tx<'_>, telling: &Telling) -> gatehouse_store::Result<Option<UnitId>> {
        if telling.unit.producer != Producer::Heartbeat {
            return Ok(None);
        }
        let units = tx.units().by_process(self.row.id)?;
        let waits = |unit: &&UnitRow| unit.producer == Producer::Heartbeat && unit.delivery == DeliveryState::Pending;
        Ok(units.iter().find(waits).map(|unit| unit.id))
    }
}
