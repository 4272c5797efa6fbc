//! Which names name secrets, and which values are none.

/// What a name promises about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `Authorization` and its proxy twin: a scheme word, then the secret.
    Authorization,
    /// A header whose whole value is the secret.
    Header,
    /// A secret that needs no second look at its name.
    Named,
    /// A password, which may look like anything.
    Password,
    /// A key, token or secret.
    Credential,
    /// `key` or `token` alone: everyday words in code.
    Vague,
}

const HEADERS: &[&str] = &["x-api-key", "x-goog-api-key", "api-key", "x-auth-token", "x-access-token", "x-api-token"];
const PASSWORDS: &[&str] = &["PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PW", "DBPASSWORD", "PGPASSWORD"];
const CREDENTIALS: &[&str] = &[
    "KEY",
    "TOKEN",
    "SECRET",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTH",
    "APIKEY",
    "AUTHTOKEN",
    "ACCESSKEY",
    "ACCESSTOKEN",
    "SECRETKEY",
    "PRIVATEKEY",
    "CLIENTSECRET",
];

/// Where a name may hold its credential word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Anywhere, as environment variables do (`SECRET_FOR_CI`).
    Anywhere,
    /// At the end, as fields do (`apiKey`, but not `keyCount`).
    End,
}

pub(super) fn header(name: &str) -> Option<Kind> {
    if name.eq_ignore_ascii_case("authorization") || name.eq_ignore_ascii_case("proxy-authorization") {
        return Some(Kind::Authorization);
    }
    HEADERS.iter().any(|header| name.eq_ignore_ascii_case(header)).then_some(Kind::Header)
}

/// What every such name holds. Most names hold none of it, and are not taken apart.
const STEMS: [&[u8]; 7] = [b"key", b"token", b"secret", b"pass", b"pw", b"auth", b"cred"];

pub(super) fn field(name: &str, place: Place) -> Option<Kind> {
    let holds = |stem: &[u8]| name.as_bytes().windows(stem.len()).any(|part| part.eq_ignore_ascii_case(stem));
    if !STEMS.iter().any(|stem| holds(stem)) {
        return None;
    }
    let words = words(name);
    if words.concat() == "AWSSECRETACCESSKEY" {
        return Some(Kind::Named);
    }
    let looked_at = match place {
        Place::Anywhere => &words[..],
        Place::End => &words[words.len().saturating_sub(1)..],
    };
    if looked_at.iter().any(|word| PASSWORDS.contains(&word.as_str())) {
        return Some(Kind::Password);
    }
    if !looked_at.iter().any(|word| CREDENTIALS.contains(&word.as_str())) {
        return None;
    }
    let vague = matches!(&words[..], [only] if matches!(only.as_str(), "KEY" | "TOKEN" | "AUTH"));
    Some(if vague { Kind::Vague } else { Kind::Credential })
}

/// The words of a name in capitals: `db.apiKey_ID` is `DB`, `API`, `KEY`, `ID`.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut lower = false;
    for ch in name.chars() {
        let hump = lower && ch.is_ascii_uppercase();
        if (hump || !ch.is_ascii_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if ch.is_ascii_alphanumeric() {
            word.push(ch.to_ascii_uppercase());
        }
        lower = ch.is_ascii_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

const QUERY: &[&str] = &[
    "token",
    "access_token",
    "refresh_token",
    "id_token",
    "api_key",
    "apikey",
    "client_secret",
    "password",
    "auth",
    "jwt",
    "session",
    "secret",
    "key",
    "code",
    "signature",
    "x-amz-signature",
    "x-goog-signature",
    "sig",
];

pub(super) fn query(name: &str) -> bool {
    QUERY.iter().any(|known| name.eq_ignore_ascii_case(known))
}

const LOOKUPS: &[&str] = &[
    "os.getenv",
    "os.environ",
    "process.env",
    "import.meta.env",
    "env::var",
    "std::env",
    "env!(",
    "System.getenv",
    "getenv",
    "ENV[",
    "Deno.env",
    "secrets.",
    "config.",
    "settings.",
    "self.",
    "this.",
    "%(",
    "${{",
    "{{",
];
const EMPTY_WORDS: &[&str] = &["null", "nil", "none", "true", "false", "undefined", "yes", "no", "redacted"];

/// Whether a value under a name of this kind is worth masking. `doubtful` asks for an opaque look.
pub(super) fn is_secret(value: &str, kind: Kind, doubtful: bool) -> bool {
    if value.is_empty() || super::is_masked(value) || value.bytes().all(|byte| matches!(byte, b'*' | b'.' | b'-')) {
        return false;
    }
    if EMPTY_WORDS.iter().any(|word| value.eq_ignore_ascii_case(word)) {
        return false;
    }
    if LOOKUPS.iter().any(|lookup| value.starts_with(lookup)) || (value.starts_with('<') && value.ends_with('>')) {
        return false;
    }
    if value.starts_with("[private key") {
        return false;
    }
    if kind != Kind::Password && (is_reference(value) || is_small_number(value)) {
        return false;
    }
    (!doubtful && kind != Kind::Vague) || is_opaque(value)
}

/// A variable or a path stands for a value, it is none.
fn is_reference(value: &str) -> bool {
    let path_like = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-@~:\\ ".contains(&byte));
    let path = ["/", "./", "../", "~/"].iter().any(|start| value.starts_with(start))
        || matches!(value.as_bytes(), [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic());
    value.starts_with('$') || (value.starts_with('%') && value.ends_with('%')) || (path && path_like)
}

fn is_small_number(value: &str) -> bool {
    value.len() <= 6 && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Sixteen hex digits, or twelve characters of two classes without a blank.
fn is_opaque(value: &str) -> bool {
    if value.bytes().any(|byte| byte.is_ascii_whitespace() || b"(){}[]".contains(&byte)) {
        return false;
    }
    let hex = value.len() >= 16 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let classes = [
        value.bytes().any(|byte| byte.is_ascii_lowercase()),
        value.bytes().any(|byte| byte.is_ascii_uppercase()),
        value.bytes().any(|byte| byte.is_ascii_digit()),
    ];
    hex || (value.len() >= 12 && classes.iter().filter(|present| **present).count() >= 2)
}
