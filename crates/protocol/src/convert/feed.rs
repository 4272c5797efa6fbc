//! A batch of the feed.

use gatehouse_gateway::{FeedBatch, FeedChange, Gateway, LiveDelta, Restarting, StorageTrouble};

use super::{block, engine, item, notice, process, session, turn};
use crate::wire::{self, BlockDelta, Change, Delta, TextDelta};

pub(crate) fn feed(gateway: &Gateway, batch: FeedBatch, blocks: bool) -> wire::Feed {
    wire::Feed {
        epoch: batch.epoch.to_string(),
        rev: batch.rev.0.into(),
        reset: batch.reset,
        changes: batch.changes.into_iter().map(|c| change(gateway, c, blocks)).collect(),
        deltas: batch.deltas.into_iter().map(delta).collect(),
        engine: batch.engine.map(engine),
        restarting: batch.restarting.map(restarting),
        storage: batch.trouble.as_ref().map(trouble),
    }
}

/// What is wrong with the data, for a person.
pub(crate) fn trouble(trouble: &StorageTrouble) -> wire::StorageTrouble {
    wire::StorageTrouble {
        code: trouble.cause.code().into(),
        message: trouble.to_string(),
        passing: trouble.cause.is_passing(),
    }
}

fn restarting(restart: Restarting) -> wire::Restarting {
    wire::Restarting { latest_at_ms: restart.by.into(), turns: restart.turns }
}

fn change(gateway: &Gateway, change: FeedChange, blocks: bool) -> Change {
    match change {
        FeedChange::Session(overview, reaping) => {
            Change::Session { session: session(&overview, reaping, gateway.now()) }
        }
        FeedChange::Turn(row) => Change::Turn { turn: turn(&row) },
        FeedChange::Item(full) => Change::Item { item: Box::new(item(&full, blocks)) },
        FeedChange::Process(row) => {
            let ports = gateway.ports_of(row.id);
            Change::Process { process: process(&gateway.with_live_output(row), ports) }
        }
        FeedChange::Notice(full) => Change::Notice { notice: notice(&full) },
        FeedChange::Settings(rev) => Change::Settings { rev: rev.0.into() },
        FeedChange::Incidents(count) => Change::Incidents { count },
        FeedChange::Removed { kind, id } => Change::Removed { kind: kind.as_str().into(), id },
    }
}

fn delta(delta: LiveDelta) -> Delta {
    match delta {
        LiveDelta::Text { item, offset, append } => {
            Delta::Text(TextDelta { item_id: item.to_string(), offset: offset.into(), append })
        }
        LiveDelta::Blocks { item, keep, blocks } => Delta::Blocks(BlockDelta {
            item_id: item.to_string(),
            keep_blocks: u32::try_from(keep).unwrap_or(u32::MAX),
            blocks: block::blocks(&blocks),
        }),
    }
}
