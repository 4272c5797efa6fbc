//! A conversation as one text, written down the way the model learned it.
//!
//! The template comes with the model's file and is a program of its own, so it gets no more than its fuel.

use gatehouse_engine_wire::{Role, Words};
use minijinja::{Environment, Error, ErrorKind, Value, context};
use minijinja_contrib::pycompat::unknown_method_callback;

use crate::refusal::Refusal;

/// Steps that one conversation may take: hundreds for each message are usual.
const FUEL: u64 = 5_000_000;
const NAME: &str = "chat";

/// A model's chat template.
pub(crate) struct Template {
    environment: Environment<'static>,
    bos: String,
    eos: String,
}

impl Template {
    /// `bos` and `eos` are the texts of the model's first and last token.
    pub fn new(source: String, bos: String, eos: String) -> Result<Self, Refusal> {
        let mut environment = Environment::new();
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.set_fuel(Some(FUEL));
        environment.set_unknown_method_callback(unknown_method_callback);
        environment.add_function("raise_exception", raise);
        environment.add_template_owned(NAME, source).map_err(|error| refused(&error))?;
        Ok(Self { environment, bos, eos })
    }

    /// The text of a conversation, up to where the model's answer begins.
    pub fn write(&self, messages: &[Words]) -> Result<String, Refusal> {
        let told = merged(messages);
        // Some models know no standing instructions; they get them at the head of the first message.
        self.render(&told).or_else(|error| match without_system(&told) {
            Some(told) => self.render(&told).map_err(|_| refused(&error)),
            None => Err(refused(&error)),
        })
    }

    /// What the text begins with where the template writes the first token by itself.
    pub fn bos(&self) -> &str {
        &self.bos
    }

    fn render(&self, messages: &[Words]) -> Result<String, Error> {
        self.environment.get_template(NAME)?.render(context! {
            messages => messages.iter().map(|m| context! { role => m.role, content => m.content }).collect::<Vec<_>>(),
            add_generation_prompt => true,
            // A model that thinks aloud first makes a person wait for minutes here.
            enable_thinking => false,
            bos_token => self.bos,
            eos_token => self.eos,
        })
    }
}

/// Many templates want people and models to take turns.
fn merged(messages: &[Words]) -> Vec<Words> {
    let mut told: Vec<Words> = Vec::new();
    for message in messages {
        match told.last_mut() {
            Some(last) if last.role == message.role => {
                last.content.push_str("\n\n");
                last.content.push_str(&message.content);
            }
            _ => told.push(message.clone()),
        }
    }
    told
}

fn without_system(messages: &[Words]) -> Option<Vec<Words>> {
    let (first, rest) = messages.split_first()?;
    let mut user = rest.first().filter(|_| first.role == Role::System)?.clone();
    user.content = format!("{}\n\n{}", first.content, user.content);
    Some(std::iter::once(user).chain(rest.iter().skip(1).cloned()).collect())
}

fn raise(words: String) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, words))
}

fn refused(error: &Error) -> Refusal {
    Refusal::template(error.detail().unwrap_or(&error.kind().to_string()))
}

#[cfg(test)]
mod tests {
    use gatehouse_engine_wire::RefusalCode;

    use super::*;

    /// The form that most small models use.
    const CHATML: &str = "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}\
        {{ '<|im_start|>system\nBe kind.<|im_end|>\n' }}{% endif %}\
        {{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}\
        {% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

    /// One that knows no standing instructions and wants turns.
    const STRICT: &str = "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}\
        {% for message in messages %}\n  {% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}\n\
        {{ raise_exception('Roles must alternate') }}\n  {% endif %}\n[{{ message['content'].strip() }}]{% endfor %}";

    fn words(role: Role, content: &str) -> Words {
        Words { role, content: content.into() }
    }

    fn write(source: &str, messages: &[Words]) -> Result<String, Refusal> {
        Template::new(source.into(), "<s>".into(), "</s>".into())?.write(messages)
    }

    #[test]
    fn a_conversation_is_written_as_the_template_says() {
        let text = write(CHATML, &[words(Role::User, "Hi")]).unwrap();
        assert_eq!(
            text,
            "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
        );
    }

    #[test]
    fn instructions_move_into_the_first_message_where_none_are_known() {
        let told = [words(Role::System, "Rule."), words(Role::User, " Hi "), words(Role::Assistant, "Yes?")];
        assert_eq!(write(STRICT, &told).unwrap(), "<s>[Rule.\n\n Hi][Yes?]");
    }

    #[test]
    fn messages_of_one_side_in_a_row_become_one() {
        let told =
            [words(Role::User, "a"), words(Role::User, "b"), words(Role::Assistant, "c"), words(Role::User, "d")];
        assert_eq!(write(STRICT, &told).unwrap(), "<s>[a\n\nb][c][d]");
    }

    #[test]
    fn what_the_template_refuses_is_said_in_its_words() {
        let refusal = write(STRICT, &[words(Role::Assistant, "c")]).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Template);
        assert!(refusal.message.contains("Roles must alternate"), "{}", refusal.message);
        assert_eq!(write("{% for %}", &[]).unwrap_err().code, RefusalCode::Template);
    }

    #[test]
    fn a_template_without_an_end_runs_dry() {
        let endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}";
        assert_eq!(write(endless, &[words(Role::User, "Hi")]).unwrap_err().code, RefusalCode::Template);
    }

    #[test]
    fn methods_of_python_texts_are_known() {
        let source = "{{ messages[-1].content.split('x')[0].upper() }}{{ messages | length }}";
        assert_eq!(write(source, &[words(Role::User, "axb")]).unwrap(), "A1");
    }
}
