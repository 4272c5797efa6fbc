//! The `delegate` tool: hands tasks on to sub-agents that work in the background. It answers at once; what comes of
//! them is reported to the conversation.

use gatehouse_domain::CardStatus;
use gatehouse_provider::ToolSpec;
use serde_json::json;

use crate::call::{self, Bench};
use crate::ports::{CallEnd, Task};
use crate::tool::arguments::{Arguments, Complaint};
use crate::tool::registry::{Face, one_line};

pub(crate) const NAME: &str = "delegate";

/// Tasks of one call.
pub(crate) const MOST_TASKS: usize = 4;

/// A call of `delegate` as it was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Delegate {
    tasks: Vec<Handed>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Handed {
    goal: String,
    context: Option<String>,
}

pub(crate) fn spec() -> ToolSpec {
    ToolSpec {
        name: NAME.to_owned(),
        description:
            "Hands tasks on to sub-agents that work on them in the background, at the same time. It returns at \
                      once; when all tasks of the call have ended, their results are reported to this conversation. A \
                      sub-agent has the same tools but this one, and knows nothing but what you write into its task."
                .to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "tasks": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": MOST_TASKS,
                    "description": "One sub-agent for each.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "goal": { "type": "string", "description": "What is to be done, and what shall be answered." },
                            "context": { "type": "string", "description": "What it needs to know: folders, files, findings, limits." }
                        },
                        "required": ["goal"]
                    }
                }
            },
            "required": ["tasks"]
        }),
    }
}

impl Delegate {
    pub(crate) fn read(arguments: &str) -> Result<Self, Complaint> {
        let mut arguments = Arguments::read(NAME, arguments)?;
        let given = arguments.objects("tasks")?.unwrap_or_default();
        arguments.done("tasks")?;
        let tasks = given.into_iter().map(Handed::read).collect::<Result<Vec<_>, _>>()?;
        match tasks.len() {
            0 => Err("delegate needs `tasks`, a list of at least one task with a `goal`.".to_owned()),
            1..=MOST_TASKS => Ok(Self { tasks }),
            count => Err(format!(
                "`tasks` holds {count}, and one call hands on at most {MOST_TASKS}. Nothing was handed on. Join some of \
                 them, or hand the rest on later."
            )),
        }
    }

    pub(crate) fn face(&self) -> Face {
        let goals: Vec<String> = self.tasks.iter().map(|task| one_line(&task.goal)).collect();
        Face { title: one_line(&goals.join("; ")), details: goals.join("\n"), background: false }
    }
}

impl Handed {
    fn read(mut arguments: Arguments) -> Result<Self, Complaint> {
        let plain =
            |text: Option<String>| text.map(|text| text.replace('\0', "")).filter(|text| !text.trim().is_empty());
        let (goal, context) = (plain(arguments.text("goal")?), plain(arguments.text("context")?));
        arguments.done("goal, context")?;
        let goal = goal.ok_or("Each task of delegate needs a `goal`, a string that is not empty.")?;
        Ok(Self { goal, context })
    }
}

pub(crate) async fn run(bench: &Bench, call: &Delegate) -> CallEnd {
    let Some(delegations) = &bench.delegations else {
        return call::failed("A sub-agent hands nothing on. Do it yourself, or say in your answer what is left to do.");
    };
    let task = |task: &Handed| Task {
        title: bench.veil.shown(&one_line(&task.goal)),
        text: match &task.context {
            Some(context) => format!("{}\n\nWhat you need to know:\n{}", task.goal.trim(), context.trim()),
            None => task.goal.trim().to_owned(),
        },
    };
    match delegations.delegate(call.tasks.iter().map(task).collect()).await {
        Ok(id) => handed_on(&id.to_string(), call.tasks.len()),
        Err(refused) => call::failed(&format!("Nothing was handed on. {}", refused.reason)),
    }
}

fn handed_on(id: &str, tasks: usize) -> CallEnd {
    let result = json!({
        "status": "delegated",
        "delegation_id": id,
        "tasks": tasks,
        "note": "The work has begun. Its result comes as a report by itself when every task has ended: do not wait for \
                 it and do not do the same work. Go on with something else, or end your turn.",
    });
    let output =
        if tasks == 1 { "Handed on to a sub-agent.".to_owned() } else { format!("Handed on to {tasks} sub-agents.") };
    CallEnd {
        result: result.to_string(),
        status: CardStatus::Complete,
        annotation: None,
        output_bytes: output.len() as u64,
        output,
        exit: None,
        keep_open: false,
        told: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_needs_a_goal_and_there_are_at_most_four() {
        for (arguments, complaint) in [
            (json!({}), "needs `tasks`"),
            (json!({ "tasks": [] }), "needs `tasks`"),
            (json!({ "tasks": "find it" }), "must be a list of objects"),
            (json!({ "tasks": ["find it"] }), "must be a list of objects"),
            (json!({ "tasks": [{ "goal": " " }] }), "needs a `goal`"),
            (json!({ "tasks": [{ "goal": "find it", "model": "big" }] }), "no argument `model`"),
            (json!({ "tasks": vec![json!({ "goal": "find it" }); 5] }), "at most 4"),
        ] {
            let read = Delegate::read(&arguments.to_string());
            assert!(read.as_ref().is_err_and(|words| words.contains(complaint)), "{arguments} {read:?}");
        }
        let read =
            Delegate::read(&json!({ "tasks": [{ "goal": "a\nb" }, { "goal": "c", "context": "d" }] }).to_string());
        let face = read.expect("two tasks").face();
        assert_eq!((face.title.as_str(), face.details.as_str(), face.background), ("a b; c", "a b\nc", false));
    }
}
