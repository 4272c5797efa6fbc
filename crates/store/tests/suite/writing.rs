use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};

use gatehouse_domain::*;
use gatehouse_store::*;

use crate::support::*;

/// One poll puts it into the queue.
fn queue(written: Pin<&mut impl Future>) {
    let _queued = written.poll(&mut Context::from_waker(Waker::noop()));
}

#[test]
fn a_failed_or_panicking_closure_changes_nothing() {
    let house = house();
    let session = house.session();
    let before = house.store.rev();
    let lost = message(house.item_id(), session, "lost");
    let also_lost = message(house.item_id(), session, "lost too");
    let failed: Result<()> = house.store.write_blocking(move |tx| {
        tx.items_mut().insert(&lost)?;
        tx.sessions_mut().set_title(SessionId::from_uuid(uuid::Uuid::nil()), "nobody")
    });
    assert!(matches!(failed, Err(Error::NoSuchRow { table: "session", .. })), "{failed:?}");
    let panicked: Result<()> = house.store.write_blocking(move |tx| {
        tx.items_mut().insert(&also_lost)?;
        panic!("a word about it")
    });
    assert!(matches!(&panicked, Err(Error::Panicked { detail }) if detail == "a word about it"), "{panicked:?}");
    assert_eq!(house.store.rev(), before);
    assert!(house.store.read(|s| s.items().transcript(session)).unwrap().is_empty());
    let kept = house.said(session, "kept");
    assert_eq!(house.store.read(|s| s.items().get(kept)).unwrap().unwrap().seq, 1);
}

#[test]
fn writers_at_once_share_commits_but_not_failures() {
    const WRITERS: usize = 64;
    let house = house();
    let session = house.session();
    // Holds the writer until all others are in the queue, so that how many share is not left to chance.
    let release = Arc::new(AtomicBool::new(false));
    let held = Arc::clone(&release);
    let mut holder = Box::pin(house.store.write(move |_| {
        while !held.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        Ok(())
    }));
    queue(holder.as_mut());
    let before = house.store.commits();
    let mut writers: Vec<_> = (0..WRITERS)
        .map(|n| {
            let new = message(house.item_id(), session, &n.to_string());
            Box::pin(house.store.write(move |tx| {
                let seq = tx.items_mut().insert(&new)?;
                if n % 4 == 0 { Err(Error::Closed) } else { Ok(seq) }
            }))
        })
        .collect();
    writers.iter_mut().for_each(|writer| queue(writer.as_mut()));
    release.store(true, Ordering::Release);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(holder).unwrap();
    let mut seqs: Vec<_> = writers.into_iter().filter_map(|writer| runtime.block_on(writer).ok()).collect();
    seqs.sort_unstable();
    assert_eq!(seqs, (1..=48).collect::<Vec<u64>>(), "every failure left no gap and no row");
    let commits = house.store.commits() - before;
    assert!(commits <= 2, "64 writers and who held them up needed {commits} commits");
    let rows = house.store.read(|s| s.items().transcript(session)).unwrap();
    assert!(rows.windows(2).all(|pair| pair[0].row.rev < pair[1].row.rev), "each closure has a revision of its own");
}

#[test]
fn reading_sees_one_moment() {
    let house = house();
    let session = house.session();
    house.said(session, "before");
    house
        .store
        .read(|snapshot| {
            assert_eq!(snapshot.items().transcript(session)?.len(), 1);
            house.said(session, "meanwhile");
            assert_eq!(snapshot.items().transcript(session)?.len(), 1);
            Ok(())
        })
        .unwrap();
    assert_eq!(house.store.read(|s| s.items().transcript(session)).unwrap().len(), 2);
}

#[test]
fn closing_writes_what_was_asked_and_empties_the_log() {
    let house = house();
    let session = house.session();
    let other = house.store.clone();
    let mut answers: Vec<_> = (0..20)
        .map(|n| {
            Box::pin(house.store.write({
                let new = message(house.item_id(), session, &n.to_string());
                move |tx| tx.items_mut().insert(&new)
            }))
        })
        .collect();
    answers.iter_mut().for_each(|answer| queue(answer.as_mut()));
    other.clone().close();
    drop(answers);
    assert!(matches!(other.read(|s| s.sessions().list()), Err(Error::Closed)));
    assert!(matches!(other.write_blocking(|_| Ok(())), Err(Error::Closed)));
    assert!(!house.dir.path().join("gatehouse.db-wal").exists());
    let again = open(house.dir.path(), &house.ids);
    assert_eq!(again.read(|s| s.items().transcript(session)).unwrap().len(), 20);
}

#[test]
fn the_log_does_not_grow_without_end() {
    let house = house();
    let session = house.session();
    let id = house.said(session, "");
    let text = "x".repeat(1 << 20);
    for _ in 0..160 {
        let text = text.clone();
        house.write(move |tx| tx.items_mut().set_text(id, &text, true));
    }
    let log = std::fs::metadata(house.dir.path().join("gatehouse.db-wal")).unwrap().len();
    assert!(log < 100 << 20, "160 MiB were written and the log has {log} bytes");
}
