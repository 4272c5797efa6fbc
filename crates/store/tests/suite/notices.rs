use gatehouse_domain::*;
use gatehouse_store::*;

use crate::support::*;

fn notice(session: SessionId, title: &str, at: i64) -> NewNotice {
    NewNotice {
        kind: NoticeKind::ProcessEnded,
        tone: Tone::Fail,
        title: title.into(),
        body: "body".into(),
        session,
        seq: None,
        process: None,
        approval: None,
        at: EpochMs(at),
    }
}

impl House {
    fn notice(&self, new: NewNotice) -> NoticeId {
        self.write(move |tx| tx.notices_mut().insert(&new))
    }

    fn newest(&self, limit: u32) -> Vec<NoticeFull> {
        self.store.read(|s| s.notices().newest(limit)).unwrap()
    }

    /// The keys that a closure put on the feed.
    fn told(&self, f: impl FnOnce(&Tx<'_>) -> Result<()> + Send + 'static) -> Vec<ChangeKey> {
        let before = self.store.rev();
        self.write(f);
        match self.store.changes_after(before, 10_000) {
            Changes::Since { keys, .. } => keys,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_newest_come_first_and_the_oldest_go() {
    let house = house();
    let session = house.session();
    let early = house.notice(notice(session, "early", 5));
    let late = house.notice(notice(session, "late", 90));
    let between = house.notice(notice(session, "between", 50));
    let order: Vec<_> = house.newest(10).iter().map(|full| full.row.id).collect();
    assert_eq!(order, [late, between, early]);
    assert_eq!(house.newest(1)[0].session_title, "t");
    let start = house.store.rev();
    house.write(move |tx| {
        (0..i64::from(NOTICES_KEPT) - 2)
            .try_for_each(|n| tx.notices_mut().insert(&notice(session, "n", 100 + n)).map(drop))
    });
    assert_eq!(house.newest(5_000).len(), NOTICES_KEPT as usize);
    assert!(house.store.read(|s| s.notices().get(early)).unwrap().is_none());
    assert!(house.store.read(|s| s.notices().get(between)).unwrap().is_some());
    let removed = ChangeKey::Removed { kind: RowKind::Notice, id: early.to_string() };
    let Changes::Since { keys, .. } = house.store.changes_after(start, 10_000) else { panic!("not told") };
    assert!(keys.contains(&removed));
    // A new start remembers nothing, so the rows tell it.
    house.store.close();
    let store = open(house.dir.path(), &house.ids);
    let Changes::Since { keys, .. } = store.changes_after(start, 10_000) else { panic!("not told") };
    assert!(keys.contains(&removed) && keys.len() == NOTICES_KEPT as usize - 1);
}

#[test]
fn a_closed_question_is_read_by_whatever_path() {
    let house = house();
    let session = house.session();
    let (turn_id, item, approval_id) = (house.turn_id(), house.said(session, ""), house.approval_id());
    house.write(move |tx| {
        tx.turns_mut().insert(&turn(turn_id, session))?;
        tx.approvals_mut().insert(&NewApproval {
            id: approval_id,
            item,
            session,
            turn: turn_id,
            card: item,
            command: "rm".into(),
            exact: "rm".into(),
            cwd: "/".into(),
            purpose: None,
            dangers: String::new(),
            suggested: None,
            takes_pattern: false,
            created_at: AT,
            expires_at: AT,
        })
    });
    let id = house.notice(NewNotice { approval: Some(approval_id), ..notice(session, "Allow a command?", 1) });
    let other = house.notice(notice(session, "other", 2));
    let keys = house.told(move |tx| tx.approvals_mut().close(approval_id, ApprovalState::Withdrawn, AT).map(drop));
    assert!(keys.contains(&ChangeKey::Notice(id)) && !keys.contains(&ChangeKey::Notice(other)));
    assert!(house.store.read(|s| s.notices().get(id)).unwrap().unwrap().row.read);
    assert_eq!(house.store.read(|s| s.notices().unread()).unwrap(), 1);
}

#[test]
fn a_note_gives_the_notices_of_its_reports_their_place() {
    let house = house();
    let session = house.session();
    let (told, untold) = (house.process_id(), house.process_id());
    let (unit_id, admission_id) = (house.unit_id(), house.admission_id());
    house.write(move |tx| {
        for id in [told, untold] {
            tx.processes_mut().insert(&process(id, session, None))?;
        }
        tx.units_mut().owe(&NewUnit { process: Some(told), ..unit(unit_id, session, "u") })?;
        tx.units_mut().finish(unit_id, &report(5))?;
        tx.admissions_mut().insert(&admission(admission_id, session, "k"))?;
        tx.units_mut().deliver(&[unit_id], admission_id).map(drop)
    });
    let [first, second] =
        [told, untold].map(|process| house.notice(NewNotice { process: Some(process), ..notice(session, "n", 1) }));
    let keys = house.told(move |tx| tx.notices_mut().noted(admission_id, 7));
    assert_eq!(keys, [ChangeKey::Notice(first)]);
    let seqs = [first, second].map(|id| house.store.read(|s| s.notices().get(id)).unwrap().unwrap().row.seq);
    assert_eq!(seqs, [Some(7), None]);
}

#[test]
fn what_is_seen_is_marked_once() {
    let house = house();
    let session = house.session();
    let ids: Vec<_> = (0..3).map(|n| house.notice(notice(session, "n", n))).collect();
    let (one, gone) = (ids[1], NoticeId::from_uuid(house.ids.fresh()));
    assert_eq!(house.write(move |tx| tx.notices_mut().mark_read(NoticesSeen::These(&[one, one, gone]))), 1);
    assert_eq!(house.write(|tx| tx.notices_mut().mark_read(NoticesSeen::All)), 2);
    let still = house.store.rev();
    assert_eq!(house.write(|tx| tx.notices_mut().mark_read(NoticesSeen::All)), 0);
    assert_eq!(house.store.rev(), still, "what changed nothing is no revision");
    assert!(house.newest(10).iter().all(|full| full.row.read));
}

#[test]
fn what_came_behind_the_last_that_was_seen_stays_unread() {
    let house = house();
    let session = house.session();
    // The clock was set back in between.
    let ids = [5, 9, 1, 2].map(|at| house.notice(notice(session, "n", at)));
    let gone = NoticeId::from_uuid(house.ids.fresh());
    assert_eq!(house.write(move |tx| tx.notices_mut().mark_read(NoticesSeen::UpTo(&[gone]))), 0);
    assert_eq!(house.write(move |tx| tx.notices_mut().mark_read(NoticesSeen::UpTo(&[ids[2], ids[1]]))), 3);
    let unread: Vec<_> = house.newest(10).into_iter().filter(|full| !full.row.read).map(|full| full.row.id).collect();
    assert_eq!(unread, [ids[3]]);
}

#[test]
fn a_muted_source_is_muted_wherever_it_shows() {
    let house = house();
    let (session, other) = (house.session(), house.session());
    let (mine, theirs, elsewhere) = (house.process_id(), house.process_id(), house.process_id());
    house.write(move |tx| {
        tx.processes_mut().insert(&process(mine, session, None))?;
        tx.processes_mut().insert(&NewProcess { command: "ls".into(), ..process(theirs, session, None) })?;
        tx.processes_mut().insert(&process(elsewhere, other, None))
    });
    let told = house.notice(NewNotice { process: Some(mine), ..notice(session, "make exited 1", 1) });
    let muted = |id| house.store.read(|s| s.processes().get(id)).unwrap().unwrap().muted;
    let keys = house.told(move |tx| tx.mutes_mut().set(session, "make", true).map(drop));
    for key in [ChangeKey::Settings, ChangeKey::Process(mine), ChangeKey::Session(session)] {
        assert!(keys.contains(&key), "{key:?} in {keys:?}");
    }
    assert_eq!([mine, theirs, elsewhere].map(muted), [true, false, false]);
    assert!(house.store.read(|s| s.notices().get(told)).unwrap().unwrap().muted);
    // A later run of the same command is muted from its start.
    let again = house.process_id();
    house.write(move |tx| tx.processes_mut().insert(&process(again, session, None)));
    assert!(muted(again));
    assert!(house.told(move |tx| tx.mutes_mut().set(session, "make", true).map(drop)).is_empty());
    house.write(move |tx| tx.mutes_mut().set(session, "", true));
    assert_eq!([mine, theirs, elsewhere].map(muted), [true, true, false]);
    let overview = |id| house.store.read(|s| s.sessions().overview(id)).unwrap().unwrap();
    assert_eq!([session, other].map(|id| overview(id).muted), [true, false]);
    let list: Vec<_> = house.store.read(|s| s.mutes().list()).unwrap().into_iter().map(|row| row.command).collect();
    assert_eq!(list, ["", "make"]);
    house.write(move |tx| tx.mutes_mut().set(session, "make", false));
    assert_eq!([mine, theirs].map(muted), [true, true], "its session is muted still");
    house.write(move |tx| tx.mutes_mut().set(session, "", false));
    assert_eq!([mine, theirs, again].map(muted), [false, false, false]);
    assert!(!house.store.read(|s| s.notices().get(told)).unwrap().unwrap().muted);
}

#[test]
fn a_change_of_settings_is_told_from_memory_and_from_the_rows() {
    let house = house();
    let start = house.store.rev();
    house.write(|tx| tx.mutes_mut().set_quiet(Some(EpochMs(9))));
    let first = house.store.rev();
    house.session();
    assert_eq!(house.told(|tx| tx.touch_settings()), [ChangeKey::Settings]);
    assert_eq!(house.store.read(|s| s.settings_rev()).unwrap(), house.store.rev());
    let end = house.store.rev();
    house.store.close();
    let store = open(house.dir.path(), &house.ids);
    assert_eq!(store.read(|s| s.mutes().quiet_until()).unwrap(), Some(EpochMs(9)));
    for from in [start, first] {
        let Changes::Since { keys, rev } = store.changes_after(from, 10) else { panic!("not told") };
        assert_eq!((keys.iter().filter(|key| **key == ChangeKey::Settings).count(), rev), (1, end));
    }
    assert_eq!(store.changes_after(end, 10), Changes::Since { keys: Vec::new(), rev: end });
}

#[test]
fn a_change_of_incidents_is_told_from_memory_and_from_the_rows() {
    let house = house();
    let session = house.session();
    let (unit_id, told_otherwise) = (house.unit_id(), house.unit_id());
    house.write(move |tx| {
        for id in [unit_id, told_otherwise] {
            tx.units_mut().owe(&unit(id, session, &id.to_string()))?;
            tx.units_mut().finish(id, &report(5))?;
        }
        Ok(())
    });
    let start = house.store.rev();
    let is_told = |keys: &[ChangeKey]| keys.contains(&ChangeKey::Incidents);
    assert!(is_told(&house.told(move |tx| tx.units_mut().drop_(unit_id, DropReason::Expired).map(drop))));
    let (incident, end) = (house.store.read(|s| s.incidents().open()).unwrap()[0].id, house.store.rev());
    assert!(is_told(&house.told(move |tx| tx.incidents_mut().resolve(incident, EpochMs(9)).map(drop))));
    assert_eq!(house.told(move |tx| tx.incidents_mut().resolve(incident, EpochMs(9)).map(drop)), []);
    assert_eq!(house.told(|tx| tx.incidents_mut().resolve_of("nothing", EpochMs(9))), []);
    assert!(is_told(&house.told(move |tx| tx.units_mut().release(unit_id, session, EpochMs(9)).map(drop))));
    let other = house.told(move |tx| tx.units_mut().consume(told_otherwise, ConsumedBy::Log).map(drop));
    assert!(!is_told(&other), "it was not held");
    house.store.close();
    let store = open(house.dir.path(), &house.ids);
    for from in [start, end] {
        let Changes::Since { keys, .. } = store.changes_after(from, 10) else { panic!("not told") };
        assert_eq!(keys.iter().filter(|key| **key == ChangeKey::Incidents).count(), 1);
    }
}

#[test]
fn a_session_stands_under_earlier_until_something_happens() {
    let house = house();
    let session = house.session();
    house.said(session, "one");
    house.write(move |tx| tx.sessions_mut().set_earlier(session, true));
    let away = || {
        let row = house.store.read(|s| s.sessions().get(session)).unwrap().unwrap();
        row.earlier_seq == Some(row.last_seq)
    };
    assert!(away());
    house.said(session, "two");
    assert!(!away());
    house.write(move |tx| tx.sessions_mut().set_earlier(session, true));
    house.write(move |tx| tx.sessions_mut().set_earlier(session, false));
    assert!(!away());
}

#[test]
fn what_a_window_put_down_stays_until_the_oldest_must_go() {
    let house = house();
    let still = house.store.rev();
    house.write(|tx| {
        for n in 0..UI_ENTRIES {
            tx.ui_state_mut().set(&format!("key {n}"), Some("value"))?;
        }
        tx.ui_state_mut().set("key 0", Some("again"))?;
        tx.ui_state_mut().set("one more", Some("x"))?;
        tx.ui_state_mut().set("key 5", None)
    });
    assert_eq!(house.store.rev(), still, "it is nobody else's business");
    house.store.close();
    let rows = open(house.dir.path(), &house.ids).read(|s| s.ui_state().list()).unwrap();
    assert_eq!(rows.len(), UI_ENTRIES as usize - 1);
    let has = |key: &str| rows.iter().find(|row| row.key == key).map(|row| row.value.as_str());
    assert_eq!((has("key 0"), has("key 1"), has("key 2")), (Some("again"), None, Some("value")));
    assert_eq!((has("one more"), has("key 5")), (Some("x"), None));
}
