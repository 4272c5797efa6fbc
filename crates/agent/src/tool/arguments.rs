//! Reading the arguments of a call. Models write numbers as strings and invent names; every complaint says what to
//! write instead, because the model's next try is made from it.

use serde_json::{Map, Value};

/// The arguments of one call, taken out one by one; what is left at the end was not expected.
#[derive(Debug)]
pub(crate) struct Arguments {
    tool: &'static str,
    left: Map<String, Value>,
}

/// What is wrong with the arguments, for the model.
pub(crate) type Complaint = String;

/// What an argument that may be either was.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WordsOrFlag {
    Words(Vec<String>),
    Flag(bool),
}

impl Arguments {
    pub(crate) fn read(tool: &'static str, arguments: &str) -> Result<Self, Complaint> {
        let text = if arguments.trim().is_empty() { "{}" } else { arguments };
        match serde_json::from_str(text) {
            Ok(Value::Object(left)) => Ok(Self { tool, left }),
            Ok(_) => Err(format!("The arguments of {tool} must be a JSON object.")),
            Err(error) => Err(format!("The arguments of {tool} are not JSON: {error}.")),
        }
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Complaint> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(name, "a string", &other)),
        }
    }

    /// An id: a text, or a number that stands for one.
    pub(crate) fn id(&mut self, name: &str) -> Result<Option<String>, Complaint> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim().to_owned())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(other) => Err(self.wrong(name, "a string", &other)),
        }
    }

    pub(crate) fn flag(&mut self, name: &str) -> Result<Option<bool>, Complaint> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(self.wrong(name, "true or false", &other)),
        }
    }

    /// Words, and whether they came as a list; or a plain yes or no.
    pub(crate) fn words_or_flag(&mut self, name: &str) -> Result<Option<WordsOrFlag>, Complaint> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(WordsOrFlag::Flag(flag))),
            Some(Value::String(text)) => Ok(Some(WordsOrFlag::Words(vec![text]))),
            Some(Value::Array(items)) => {
                let words: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
                match words {
                    Some(words) => Ok(Some(WordsOrFlag::Words(words))),
                    None => Err(self.wrong(name, "a list of strings", &Value::Array(items))),
                }
            }
            Some(other) => Err(self.wrong(name, "true, false or a list of strings", &other)),
        }
    }

    /// A list of texts; a single text is a list of one.
    pub(crate) fn texts(&mut self, name: &str) -> Result<Option<Vec<String>>, Complaint> {
        match self.words_or_flag(name)? {
            None => Ok(None),
            Some(WordsOrFlag::Words(words)) => Ok(Some(words)),
            Some(WordsOrFlag::Flag(flag)) => Err(self.wrong(name, "a list of strings", &Value::Bool(flag))),
        }
    }

    /// A list of objects, each to be read as the arguments themselves are.
    pub(crate) fn objects(&mut self, name: &str) -> Result<Option<Vec<Self>>, Complaint> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let objects = value.as_array().and_then(|items| {
            items.iter().map(|item| Some(Self { tool: self.tool, left: item.as_object()?.clone() })).collect()
        });
        objects.map(Some).ok_or_else(|| self.wrong(name, "a list of objects", &value))
    }

    /// A whole number that is at least `least`.
    pub(crate) fn count(&mut self, name: &str, least: u64) -> Result<Option<u64>, Complaint> {
        match self.take(name) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(count) if count >= least => Ok(Some(count)),
                Some(_) | None => Err(self.wrong(name, &format!("a whole number of at least {least}"), &value)),
            },
        }
    }

    /// Nothing may be left.
    pub(crate) fn done(self, known: &str) -> Result<(), Complaint> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(name) => Err(format!("{} has no argument `{name}`. It takes: {known}.", self.tool)),
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.left.remove(name).filter(|value| !value.is_null())
    }

    fn wrong(&self, name: &str, wanted: &str, got: &Value) -> Complaint {
        let mut got: String = got.to_string().chars().take(60).collect();
        got.retain(|c| !c.is_control());
        format!("`{name}` of {} must be {wanted}, not {got}.", self.tool)
    }
}
