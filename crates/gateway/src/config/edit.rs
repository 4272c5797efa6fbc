//! Changes to the text of `config.toml` that leave comments, order and everything else in it as they are.

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, value};

use super::read::check_name;
use super::{KeySource, ProviderKind};

/// A value of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// Words.
    Text(String),
    /// Several words.
    List(Vec<String>),
}

/// A file's text while it is changed.
pub(crate) struct Edit {
    document: DocumentMut,
}

impl Edit {
    /// Fails with words for a person when the text is not TOML: nothing in it may then be guessed at.
    pub fn begin(text: &str) -> Result<Self, String> {
        let document = text.parse::<DocumentMut>().map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            format!("config.toml cannot be changed while line {line} of it is not TOML: {}", error.message().trim())
        })?;
        Ok(Self { document })
    }

    /// The new text.
    pub fn finish(self) -> String {
        self.document.to_string()
    }

    /// Sets `section.key`, or takes it out. The section is made where it is missing.
    pub fn set(&mut self, dotted: &str, new: Option<Value>) -> Result<(), String> {
        let unknown = || format!("There is no setting {dotted:?}.");
        let (section, key) = dotted.split_once('.').ok_or_else(unknown)?;
        let root = self.document.as_table_mut();
        if new.is_none() && !root.contains_key(section) {
            return Ok(());
        }
        let entry = root.entry(section).or_insert_with(|| Item::Table(Table::new()));
        let table = entry.as_table_like_mut().ok_or_else(|| format!("[{section}] in config.toml is not a table."))?;
        match new {
            Some(new) => put(table, key, new),
            None => {
                table.remove(key);
            }
        }
        Ok(())
    }

    /// Adds a provider, or changes the one of this name. The key is left alone unless one is given.
    pub fn put_provider(&mut self, name: &str, new: ProviderEdit<'_>) -> Result<(), String> {
        check_name(new.name).map_err(|words| format!("{words}. Nothing was changed."))?;
        let tables = self.providers()?;
        if new.name != name && tables.iter().any(|t| named(t, new.name)) {
            return Err(format!("There is a provider named {:?} already. Nothing was changed.", new.name));
        }
        let known = tables.iter().position(|t| named(t, name));
        let at = known.unwrap_or(tables.len());
        if known.is_none() {
            tables.push(Table::new());
        }
        let Some(table) = tables.get_mut(at) else { return Ok(()) };
        put(table, "name", Value::Text(new.name.to_owned()));
        put(table, "kind", Value::Text(new.kind.as_str().to_owned()));
        if new.base_url.is_empty() {
            table.remove("base_url");
        } else {
            put(table, "base_url", Value::Text(new.base_url.to_owned()));
        }
        if new.models.is_empty() {
            table.remove("models");
        } else {
            put(table, "models", Value::List(new.models.to_vec()));
        }
        if let Some(key) = new.key {
            put_key(table, key);
        }
        Ok(())
    }

    /// Takes a provider out; whether it was there.
    pub fn remove_provider(&mut self, name: &str) -> Result<bool, String> {
        let tables = self.providers()?;
        let before = tables.len();
        tables.retain(|table| !named(table, name));
        let removed = tables.len() < before;
        if tables.is_empty() {
            self.document.remove("provider");
        }
        Ok(removed)
    }

    fn providers(&mut self) -> Result<&mut ArrayOfTables, String> {
        let entry = self.document.entry("provider").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
        entry.as_array_of_tables_mut().ok_or_else(|| "provider in config.toml is not a list of tables.".to_owned())
    }
}

/// What a provider shall be.
pub(crate) struct ProviderEdit<'a> {
    pub name: &'a str,
    pub kind: ProviderKind,
    pub base_url: &'a str,
    pub models: &'a [String],
    pub key: Option<&'a KeySource>,
}

fn named(table: &Table, name: &str) -> bool {
    table.get("name").and_then(Item::as_str) == Some(name)
}

fn put_key(table: &mut Table, key: &KeySource) {
    let (word, name) = match key {
        KeySource::None => {
            table.remove("api_key");
            return;
        }
        KeySource::Env(name) => ("env", name),
        KeySource::Stored(name) => ("keyring", name),
    };
    let mut inline = InlineTable::new();
    inline.insert(word, name.as_str().into());
    table.insert("api_key", value(inline));
}

/// In the place of the old value, with what stands around it: a comment behind it is about the key, not the value.
fn put(table: &mut dyn toml_edit::TableLike, key: &str, new: Value) {
    let mut item = match new {
        Value::Flag(flag) => value(flag),
        Value::Number(number) => value(number),
        Value::Text(text) => value(text),
        Value::List(texts) => value(texts.into_iter().collect::<Array>()),
    };
    match table.get_mut(key) {
        Some(old) => {
            if let (Some(old), Some(new)) = (old.as_value(), item.as_value_mut()) {
                *new.decor_mut() = old.decor().clone();
            }
            *old = item;
        }
        None => {
            table.insert(key, item);
        }
    }
}
