//! Who looked at a process and who was told its end: only the second takes its report back.

use std::sync::Arc;

use gatehouse_provider::scripted::{Script, Scripted, call, say};
use gatehouse_tests::{Gate, House, Mirror, Result, Server, Setup, strict};
use serde_json::{Value, json};

use crate::unwritten::Refused;

/// What the model does after it has started the job: a call by its id, its tool and its arguments.
type Step = (&'static str, &'static str, Value);

/// Starts a job that reports its end, takes the steps, and ends its turn.
fn model(command: String, steps: Vec<Step>) -> Script {
    Script::responder(move |body: &Value| {
        let told = |id: &str| strict::result_of(body, id).and_then(|told| serde_json::from_str::<Value>(&told).ok());
        let last = strict::messages(body).last().cloned().unwrap_or_default();
        if last["role"] == "user" && strict::last_text(body).trim() != "work" {
            return say("Noted.");
        }
        let Some(started) = told("job") else {
            let job = json!({"command": command, "background": true, "notify_on_complete": true});
            return call("job", "terminal", job);
        };
        let Some((id, tool, arguments)) = steps.iter().find(|(id, ..)| told(id).is_none()) else {
            return say("I am done.");
        };
        let mut arguments = arguments.clone();
        if *tool == "process" {
            arguments["process_id"] = started["process_id"].clone();
        }
        call(id, tool, arguments)
    })
}

struct Scene {
    /// Lets the job end.
    job: Gate,
    /// Lets a call end that holds the turn.
    hold: Gate,
    lab: Scripted,
    server: Server,
    session: String,
    mirror: Mirror,
}

/// The job runs in a turn whose model takes these steps; `held` is one that lasts until the test says so.
async fn set_up(steps: impl FnOnce(Step) -> Vec<Step>) -> Result<Scene> {
    let house = Arc::new(House::new()?);
    let (job, hold) = (Gate::new(house.root(), "job")?, Gate::new(house.root(), "hold")?);
    let held = ("held", "terminal", json!({"command": hold.wait()}));
    let lab = Scripted::start(model(format!("{}; echo building; echo result-42", job.wait()), steps(held))).await?;
    let server = Setup::with(&lab).start_in(house).await?;
    let session = server.session().await?;
    let mirror = Mirror::attach(&*server, "window");
    server.send(&session, "work").await?;
    Ok(Scene { job, hold, lab, server, session, mirror })
}

impl Scene {
    async fn begun(&mut self, call: &str) -> Result {
        let session = self.session.clone();
        let begun = |m: &Mirror| m.card(&session, call).filter(|card| card["status"] == "in_progress").map(|_| ());
        self.mirror.until(&format!("the call {call}"), begun).await
    }

    /// The job ends while its turn goes on; gives back its id.
    async fn job_ends(&mut self) -> Result<String> {
        self.job.open(1)?;
        let over = |m: &Mirror| {
            let mut ended = m.processes.iter().filter(|(_, row)| row["notify"] == true && row["state"] == "exited");
            ended.next().map(|(id, _)| id.clone())
        };
        self.mirror.until("the job's end", over).await
    }

    /// What the model was told as the result of a call.
    fn told(&self, call: &str) -> Result<Value> {
        let told = self.lab.requests().iter().rev().find_map(|request| strict::result_of(&request.body, call));
        Ok(serde_json::from_str(&told.ok_or("no result")?)?)
    }

    /// The turn ends, and after it so many machine notes are told. One that must come is the last, so that none that
    /// must not could still be on its way.
    async fn reports(&mut self, expected: usize) -> Result {
        let session = self.session.clone();
        let answers = |m: &Mirror| (m.said(&session).len() == 1 + expected && m.rests(&session)).then_some(());
        self.mirror.until("the answers", answers).await?;
        let job = self.mirror.card(&session, "job").cloned().ok_or("no card")?;
        assert_eq!((&job["status"], &job["exitCode"]), (&json!("complete"), &json!(0)), "a person sees it: {job}");
        assert!(job["output"].as_str().is_some_and(|output| output.contains("result-42")), "{job}");
        let last = self.server.bang(&session, "echo the last one").await?;
        let told = |m: &Mirror| {
            (m.units(&session).iter().any(|unit| unit["processId"] == json!(last)) && m.rests(&session)).then_some(())
        };
        self.mirror.until("the last report", told).await?;
        self.mirror.catch_up().await?;
        let units: Vec<_> = self.mirror.units(&session).into_iter().map(|unit| unit["processId"].clone()).collect();
        let mut due = vec![job["processId"].clone(); expected];
        due.push(json!(last));
        assert_eq!(units, due);
        let turns = self.mirror.turns_of(&session);
        let machine = turns.iter().filter(|turn| turn["cause"] == "completion").count();
        assert_eq!((turns.len(), machine), (2 + expected, 1 + expected), "{turns:#?}");
        strict::check_all(&self.lab)
    }
}

#[tokio::test]
async fn a_poll_after_the_end_leaves_the_report() -> Result {
    let mut scene = set_up(|held| vec![held, ("poll", "process", json!({"action": "poll"}))]).await?;
    scene.begun("held").await?;
    scene.job_ends().await?;
    scene.hold.open(1)?;
    scene.reports(1).await?;
    let told = scene.told("poll")?;
    assert_eq!((&told["status"], &told["exit_code"]), (&json!("exited"), &json!(0)), "{told}");
    assert!(told["output"].as_str().is_some_and(|output| output.contains("result-42")), "{told}");
    Ok(())
}

#[tokio::test]
async fn a_wait_that_saw_the_end_is_the_report() -> Result {
    let mut scene = set_up(|_| vec![("wait", "process", json!({"action": "wait", "timeout": 60}))]).await?;
    scene.begun("wait").await?;
    scene.job_ends().await?;
    scene.reports(0).await?;
    let told = scene.told("wait")?;
    assert_eq!((&told["status"], &told["exit_code"]), (&json!("exited"), &json!(0)), "{told}");
    assert!(told["output"].as_str().is_some_and(|output| output.contains("result-42")), "{told}");
    Ok(())
}

#[tokio::test]
async fn a_wait_that_did_not_see_the_end_leaves_the_report() -> Result {
    let mut scene = set_up(|_| vec![("wait", "process", json!({"action": "wait", "timeout": 1}))]).await?;
    let session = scene.session.clone();
    let ended = |m: &Mirror| (m.said(&session) == ["I am done."] && m.rests(&session)).then_some(());
    scene.mirror.until("the end of the turn", ended).await?;
    let told = scene.told("wait")?;
    assert_eq!((&told["status"], &told["process_running"]), (&json!("timeout"), &json!(true)), "{told}");
    scene.job_ends().await?;
    scene.reports(1).await
}

#[tokio::test]
async fn a_log_read_to_its_end_is_the_report_and_a_part_of_it_is_not() -> Result {
    for (limit, expected) in [(1, 1), (200, 0)] {
        let log = json!({"action": "log", "offset": 0, "limit": limit});
        let mut scene = set_up(|held| vec![held, ("log", "process", log)]).await?;
        scene.begun("held").await?;
        scene.job_ends().await?;
        scene.hold.open(1)?;
        scene.reports(expected).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_person_who_looks_leaves_the_report() -> Result {
    let mut scene = set_up(|held| vec![held]).await?;
    scene.begun("held").await?;
    let id = scene.job_ends().await?;
    let Scene { server, session, .. } = &scene;
    // All that a window asks for when somebody opens the process.
    assert_eq!(server.process(session, &id).await?["exitCode"], 0);
    assert!(server.output(&id).await?.contains("result-42"));
    server.call("sample_processes", json!({"processIds": [id]})).await?;
    let newest = server.items(session).await?.last().map(|item| item["seq"].clone()).ok_or("no items")?;
    server.call("mark_read", json!({"sessionId": session, "seq": newest})).await?;
    scene.hold.open(1)?;
    scene.reports(1).await
}

#[tokio::test]
async fn a_look_whose_answer_could_not_be_written_down_leaves_the_report() -> Result {
    for (action, over) in [("wait", true), ("log", true), ("kill", true), ("kill", false)] {
        let look = ("look", "process", json!({"action": action}));
        let mut scene = set_up(|held| vec![held, look]).await?;
        scene.begun("held").await?;
        if over {
            scene.job_ends().await?;
        }
        let _refused = Refused::change(&scene.server, "UPDATE OF result ON card WHEN OLD.call_id = 'look'")?;
        scene.hold.open(1)?;
        let session = scene.session.clone();
        scene
            .mirror
            .reported(&session, 1)
            .await
            .map_err(|error| format!("{action} of one that is over: {over}: {error}"))?;
        scene.mirror.catch_up().await?;
        let unit = scene.mirror.units(&session)[0];
        assert_eq!(unit["state"], if over { "exited" } else { "killed" }, "{unit}");
        assert_eq!(scene.mirror.said(&session), ["Noted."]);
        let turns: Vec<_> = scene.mirror.turns_of(&session).iter().map(|turn| turn["state"].clone()).collect();
        assert_eq!(turns, ["failed", "done"], "{action}");
        strict::check_all(&scene.lab)?;
    }
    Ok(())
}

#[tokio::test]
async fn a_kill_is_the_report() -> Result {
    let mut scene = set_up(|_| vec![("kill", "process", json!({"action": "kill"}))]).await?;
    let session = scene.session.clone();
    let ended = |m: &Mirror| (m.said(&session) == ["I am done."] && m.rests(&session)).then_some(());
    scene.mirror.until("the end of the turn", ended).await?;
    assert_eq!(scene.told("kill")?["status"], "killed");
    let last = scene.server.bang(&session, "echo the last one").await?;
    scene.mirror.reported(&session, 1).await?;
    scene.mirror.catch_up().await?;
    assert_eq!(scene.mirror.units(&session)[0]["processId"], json!(last));
    assert_eq!(scene.mirror.of_kind(&session, "notice"), Vec::<&Value>::new());
    strict::check_all(&scene.lab)
}
