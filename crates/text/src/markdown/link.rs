//! Which links lead somewhere, and where they really lead.

use url::Url;

/// Addresses longer than this lead nowhere.
const LONGEST: usize = 8_192;

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    /// To the web or to a mail program, outside the window.
    Web {
        /// The address to open; user names and passwords are gone, and a mail address has no fields.
        url: String,
        /// Whom it reaches: the host in ASCII, or the mail address.
        host: String,
        /// Whether the link's text, or a user name in the address, looks like another host.
        mismatch: bool,
    },
    /// Only of an image: it brings its own bytes, so showing it asks nobody.
    Own {
        /// The `data:` address with those bytes.
        url: String,
    },
    /// Nowhere: shown as text.
    Inert,
}

/// Larger images are not shown out of a text.
const LARGEST: usize = 512 * 1024;
/// Images that bring their own bytes. SVG is left out: it is a document.
const OWN: [&str; 4] =
    ["data:image/png;base64,", "data:image/jpeg;base64,", "data:image/gif;base64,", "data:image/webp;base64,"];

/// Judges where an image comes from.
pub fn classify_image(destination: &str) -> LinkTarget {
    let begins = |own: &str| destination.get(..own.len()).is_some_and(|start| start.eq_ignore_ascii_case(own));
    if destination.len() <= LARGEST && OWN.into_iter().any(begins) {
        return LinkTarget::Own { url: destination.to_owned() };
    }
    classify(destination, "")
}

/// Judges a destination and the text it is shown under. Only `http`, `https` and `mailto` lead
/// anywhere, and never to the window's own hosts.
pub fn classify(destination: &str, text: &str) -> LinkTarget {
    if destination.len() > LONGEST {
        return LinkTarget::Inert;
    }
    // The parser drops tabs and line ends inside a scheme as browsers do, so none can hide there.
    let Ok(url) = Url::parse(destination) else { return LinkTarget::Inert };
    match url.scheme() {
        "http" | "https" => web(url, text),
        "mailto" => mail(url.path(), text),
        _ => LinkTarget::Inert,
    }
}

fn web(mut url: Url, text: &str) -> LinkTarget {
    let Some(host) = url.host_str().map(|host| host.trim_end_matches('.').to_owned()) else { return LinkTarget::Inert };
    // `ipc.localhost`, `tauri.localhost` and their like are doors into the window itself.
    if host.is_empty() || host.ends_with(".localhost") {
        return LinkTarget::Inert;
    }
    let disguised = !url.username().is_empty() || url.password().is_some();
    if disguised && (url.set_username("").is_err() || url.set_password(None).is_err()) {
        return LinkTarget::Inert;
    }
    let mismatch = disguised || named_host(text).is_some_and(|named| bare(&named) != bare(&host));
    LinkTarget::Web { url: url.into(), host, mismatch }
}

/// Mail programs take attachments and texts from an address's fields; only the address itself is kept.
fn mail(path: &str, text: &str) -> LinkTarget {
    let address = path.trim();
    let whole = address.rsplit_once('@').is_some_and(|(user, host)| !user.is_empty() && !host.is_empty());
    if !whole || address.chars().any(|ch| ch.is_whitespace() || ch.is_control() || matches!(ch, '<' | '>' | '"' | ','))
    {
        return LinkTarget::Inert;
    }
    let shown = text.trim();
    let mismatch = shown.contains('@') && !shown.contains(char::is_whitespace) && !shown.eq_ignore_ascii_case(address);
    LinkTarget::Web { url: format!("mailto:{address}"), host: address.to_owned(), mismatch }
}

fn bare(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

/// Endings that are names of files far more often than of hosts.
const FILE_ENDINGS: &[&str] = &[
    "md", "rs", "py", "sh", "ts", "tsx", "js", "jsx", "json", "toml", "yaml", "yml", "txt", "html", "css", "c", "h",
    "cpp", "go", "java", "lock", "log", "pdf", "png", "svg", "zip",
];

/// The host that a link's text names, if it looks like an address.
fn named_host(text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST || text.contains(char::is_whitespace) {
        return None;
    }
    if text.contains("://") {
        return host_of(text);
    }
    let name = text.split(['/', '?', '#', ':']).next().unwrap_or(text);
    let ending = name.rsplit_once('.')?.1;
    let likely = !ending.is_empty()
        && ending.chars().all(char::is_alphabetic)
        && !FILE_ENDINGS.iter().any(|file| ending.eq_ignore_ascii_case(file));
    if likely { host_of(&format!("https://{text}")) } else { None }
}

fn host_of(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    url.host_str().map(|host| host.trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(destination: &str, text: &str, expect: Option<(&str, &str, bool)>) {
        let expect = expect.map_or(LinkTarget::Inert, |(url, host, mismatch)| LinkTarget::Web {
            url: url.to_owned(),
            host: host.to_owned(),
            mismatch,
        });
        assert_eq!(classify(destination, text), expect, "{destination} as {text}");
    }

    #[test]
    fn only_an_image_brings_its_own_bytes() {
        let own = |url: &str| LinkTarget::Own { url: url.to_owned() };
        for url in ["data:image/png;base64,iVBORw0KGgo=", "DATA:image/JPEG;base64,/9j/"] {
            assert_eq!(classify_image(url), own(url));
            assert_eq!(classify(url, ""), LinkTarget::Inert, "as a link it leads nowhere");
        }
        let large = format!("data:image/png;base64,{}", "A".repeat(LARGEST));
        for url in ["data:image/svg+xml;base64,PHN2Zz4=", "data:text/html,x", "data:image/png,x", "\u{e4}", &large] {
            assert_eq!(classify_image(url), LinkTarget::Inert, "{}", &url[..url.len().min(40)]);
        }
    }

    #[test]
    fn only_three_schemes_lead_anywhere() {
        for inert in [
            "javascript:alert(1)",
            "JaVaScRiPt:x",
            "java\nscript:x",
            " javascript:x",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "vscode://file/x",
            "smb://127.0.0.1/x",
            "tauri://localhost/x",
            "http://ipc.localhost/shell",
            "https://TAURI.localhost./x",
            "http://asset.localhost",
            "#x",
            "./settings",
            "/index.html",
            "//host/x",
            "",
            "http://",
            "mailto:",
            "mailto:nobody",
            "blob:https://x.invalid/1",
            "view-source:https://x.invalid",
            "ftp://x.invalid/",
        ] {
            check(inert, "text", None);
        }
        check("https://Example.invalid/Page", "web", Some(("https://example.invalid/Page", "example.invalid", false)));
        check("http://localhost:3000/", "dev", Some(("http://localhost:3000/", "localhost", false)));
        check(
            "mailto:a@example.invalid?attach=/etc/passwd",
            "m",
            Some(("mailto:a@example.invalid", "a@example.invalid", false)),
        );
        check(&format!("https://x.invalid/{}", "a".repeat(9_000)), "long", None);
    }

    #[test]
    fn the_real_host_is_told() {
        check("https://bank.example@evil.example/", "x", Some(("https://evil.example/", "evil.example", true)));
        check("https://аpple.example/", "x", Some(("https://xn--pple-43d.example/", "xn--pple-43d.example", false)));
        for (text, mismatch) in [
            ("bank.example", true),
            ("https://bank.example/login", true),
            ("evil.example", false),
            ("www.evil.example/x", false),
            ("EVIL.example", false),
            ("README.md", false),
            ("click here", false),
            ("v1.2", false),
            ("еvil.example", true),
        ] {
            check("https://evil.example/", text, Some(("https://evil.example/", "evil.example", mismatch)));
        }
    }
}
