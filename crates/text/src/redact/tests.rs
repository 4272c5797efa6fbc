use super::*;
use proptest::prelude::*;

/// A secret-looking body, put together here so that no scanner takes this file for a leak.
fn body(count: usize) -> String {
    "a1B2c3D4e5".chars().cycle().take(count).collect()
}

fn hides(text: &str, secret: &str, scope: Scope) {
    let shown = redact(text, scope);
    assert!(!shown.contains(secret), "{scope:?}: {text:?} -> {shown:?}");
}

fn keeps(text: &str, scope: Scope) {
    assert_eq!(redact(text, scope), text, "{scope:?}");
}

#[test]
fn the_mask_spares_the_ends_of_long_secrets_only() {
    assert_eq!(mask(&body(17)), "***");
    assert_eq!(mask("abcdefghijklmnopqr"), "abcdef...opqr");
    assert_eq!(mask(""), "***");
}

#[test]
fn vendor_tokens_are_hidden_everywhere() {
    for (prefix, count) in [
        ("sk-", 20),
        ("sk-ant-api03-", 30),
        ("sk-or-v1-", 30),
        ("ghp_", 36),
        ("gho_", 36),
        ("ghu_", 36),
        ("ghs_", 36),
        ("ghr_", 36),
        ("github_pat_", 40),
        ("glpat-", 20),
        ("gloas-", 20),
        ("gldt-", 20),
        ("glrt-", 20),
        ("glrtr-", 20),
        ("glcbt-", 20),
        ("glptt-", 20),
        ("glft-", 20),
        ("glimt-", 20),
        ("glagent-", 20),
        ("glsoat-", 20),
        ("glffct-", 20),
        ("glwt-", 20),
        ("GR1348941", 20),
        ("xoxb-", 20),
        ("xoxa-", 20),
        ("xoxp-", 20),
        ("xoxr-", 20),
        ("xoxs-", 20),
        ("xapp-1-", 20),
        ("AIza", 35),
        ("sk_live_", 24),
        ("sk_test_", 24),
        ("rk_live_", 24),
        ("SG.", 22),
        ("npm_", 36),
        ("pypi-", 40),
        ("dop_v1_", 40),
        ("doo_v1_", 40),
        ("hf_", 34),
        ("r8_", 37),
        ("pplx-", 40),
        ("gsk_", 40),
        ("xai-", 40),
        ("fw-", 30),
        ("fw_", 30),
        ("fpk_", 30),
        ("fal_", 20),
        ("fc-", 32),
        ("tvly-", 20),
        ("exa_", 20),
        ("sk_", 40),
        ("mem0_", 20),
        ("hsk-", 20),
        ("brv_", 20),
        ("retaindb_", 20),
        ("am_", 20),
        ("bb_live_", 20),
        ("pk-lf-", 30),
        ("gAAAA", 30),
        ("syt_", 30),
        ("ntn_", 40),
        ("eyJ", 40),
    ] {
        let token = format!("{prefix}{}", body(count));
        hides(&format!("found {token}, done"), &token, Scope::Command);
        hides(&format!("{{\\n{token}"), &token, Scope::Command);
        keeps(&format!("found x{prefix}{}", "y".repeat(4)), Scope::Egress);
        if !prefix.starts_with("sk-ant") {
            keeps(&format!("{prefix} alone"), Scope::Egress);
        }
    }
    let key = format!("AKIA{}", "A1B2".repeat(4));
    hides(&key, &key, Scope::Command);
    hides(&key.replace("AK", "AS"), "SIAA1B2", Scope::Command);
    keeps(&format!("{key}A"), Scope::Command);
    let jwt = format!("eyJ{}.eyJ{}.{}", body(20), body(20), body(20));
    hides(&jwt, &body(20), Scope::Command);
    for name in ["sk_buff_head_init", "npm_config_registry", "fc-cache", "am_i_a_long_function_name", "SG.module.name"]
    {
        keeps(name, Scope::Egress);
    }
}

#[test]
fn shapes_are_hidden() {
    let hex = "0123456789abcdef".repeat(2);
    let zhipu = format!("{hex}.{}", body(16));
    hides(&zhipu, &zhipu, Scope::Command);
    keeps(&format!("{hex}.{}", body(15)), Scope::Command);
    keeps(&format!("f{zhipu}"), Scope::Command);

    let bot = format!("bot12345678:{}", body(35));
    assert_eq!(redact(&bot, Scope::Command), format!("bot12345678:{}", mask(&body(35))));
    keeps(&format!("1234567:{}", body(35)), Scope::Command);
    keeps(&format!("12345678:{}", body(29)), Scope::Command);

    assert_eq!(redact("call +491701234567 now", Scope::Command), "call +49***67 now");
    assert_eq!(redact("+491701234567", Scope::Egress), "+49***67");
    keeps("+491701234567 is an added line", Scope::Command);
    keeps("1e+1234567 a+1234567 +123456 +0123456789 +12345678901234567", Scope::Egress);
}

#[test]
fn private_keys_are_hidden_whole() {
    let begin = format!("-----BEGIN RSA {} KEY-----", "PRIVATE");
    let end = format!("-----END RSA {} KEY-----", "PRIVATE");
    let hidden = "[private key hidden]";
    assert_eq!(redact(&format!("a\n{begin}\nMIIE\nabcd\n{end}\nb"), Scope::Command), format!("a\n{hidden}\nb"));
    assert_eq!(redact(&format!("a\n{begin}\nMIIE\nabcd"), Scope::Command), format!("a\n{hidden}"));
    assert_eq!(
        redact(&format!("some words\nMIIE+/\nabcd=\n{end}\nb"), Scope::Command),
        format!("some words\n{hidden}\nb")
    );
    keeps("-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n", Scope::Egress);
}

#[test]
fn assignments_are_hidden_where_they_are_not_code() {
    let secret = "hunter2-Hunter2-hunter2";
    for text in [
        format!("API_KEY={secret}"),
        format!("GITHUB_TOKEN={secret}"),
        format!("SECRET_FOR_CI={secret}"),
        format!("DB_PASSWORD={secret} with blanks"),
        format!("export SMTP_PW='{secret}'"),
        format!("declare -x MY_AUTH=\"{secret}\""),
        format!("AWS_CREDENTIAL={secret}"),
        format!("PASS={secret}"),
        format!("  12\tapi_key={secret}"),
        format!(".env:3:TOKEN={secret}"),
        format!("a.b.password={secret}"),
        format!("export api_key={secret}"),
        format!("db_password: {secret}"),
        format!("12:  db_password: \"{secret}\""),
        format!("- client_secret: {secret} # the real one"),
        format!("password = {secret}"),
    ] {
        hides(&text, secret, Scope::Revealing);
        hides(&text, secret, Scope::Egress);
        keeps(&text, Scope::Command);
    }
    assert_eq!(redact("DB_PASSWORD=a b c\nHOME=/root", Scope::Revealing), "DB_PASSWORD=***\nHOME=/root");
    for text in [
        "MONKEY=banana-banana-1",
        "KEYBOARD=us-intl-12345",
        "author=somebody-12345",
        "MAX_TOKENS=100000000",
        "API_KEY=os.getenv('API_KEY')",
        "API_KEY=process.env.API_KEY",
        "SSH_KEY=/home/me/.ssh/id_rsa",
        "TOKEN=$OTHER_TOKEN",
        "token=next",
        "key=value",
        "the password: is missing",
        "DEBUG_AUTH=true",
        "KEY==VALUE",
        "API_KEY=",
        "API_KEY=***",
        "TOKEN_COUNT=12",
    ] {
        keeps(text, Scope::Revealing);
    }
    hides("DB_PASSWORD=/slash/inside", "/slash/inside", Scope::Revealing);
    hides(&format!("token={}", body(20)), &body(20), Scope::Revealing);
    let aws = format!("aws_secret_access_key = {}", body(40));
    hides(&aws, &body(40), Scope::Command);
}

#[test]
fn fields_of_json_and_python_are_hidden() {
    let secret = body(24);
    for text in [
        format!(r#"{{"apiKey": "{secret}"}}"#),
        format!(r#"{{\"access_token\":\"{secret}\",\"a\":1}}"#),
        format!("{{'client_secret': '{secret}'}}"),
        format!("'dbPassword': '{secret}'"),
        format!("'api_key' => '{secret}'"),
    ] {
        for scope in [Scope::Command, Scope::Revealing, Scope::Egress] {
            hides(&text, &secret, scope);
        }
    }
    hides(r#"{"password": "short"}"#, "short", Scope::Egress);
    hides(r#"{"password": "with \" quote"}"#, "quote", Scope::Egress);
    for text in [r#"{"password": "short"}"#, r#"{"tokenCount": "a1B2c3D4e5f6g7h8"}"#, r#"{"author": "a1B2c3D4e5f6"}"#] {
        keeps(text, Scope::Command);
    }
}

#[test]
fn headers_are_hidden_and_the_scheme_stays() {
    let secret = body(24);
    assert_eq!(
        redact(&format!("curl -H 'Authorization: Bearer {secret}' https://a.invalid"), Scope::Command),
        format!("curl -H 'Authorization: Bearer {}' https://a.invalid", mask(&secret))
    );
    for text in [
        format!("proxy-authorization: Basic {secret}"),
        format!("Authorization: {secret}"),
        format!("X-Api-Key: {secret}"),
        format!("x-goog-api-key: {secret}"),
        format!("api-key: {secret}"),
        format!("x-auth-token: {secret}"),
        format!("x-access-token: {secret}"),
        format!("x-api-token: {secret}"),
        format!(r#""Authorization": "Custom {secret}""#),
        format!(r#"Authorization: Digest username="u", response="{secret}""#),
        format!("Authorization: Bearer {secret} and more"),
    ] {
        hides(&text, &secret, Scope::Command);
    }
    keeps("Authorization: Bearer $TOKEN", Scope::Command);
    keeps("x-api-key: ${KEY}", Scope::Command);
    hides(&format!("the bearer {secret} leaves"), &secret, Scope::Egress);
    keeps(&format!("the bearer {secret} stays"), Scope::Command);
    keeps("the bearer of bad news", Scope::Egress);
}

#[test]
fn addresses_lose_their_secrets() {
    for scheme in ["postgres", "mysql", "mongodb", "mongodb+srv", "redis", "amqp"] {
        let shown = redact(&format!("{scheme}://user:pa/s@w@host:1/db"), Scope::Command).into_owned();
        assert_eq!(shown, format!("{scheme}://user:***@host:1/db"));
        keeps(&format!("{scheme}://user@host/db"), Scope::Egress);
    }
    assert_eq!(redact("https://abcdefgh12@host/x", Scope::Command), "https://***@host/x");
    keeps("https://short@host/x ssh://git@github.com/a/b https://host/@someone", Scope::Egress);
    let page = "https://host/cb?code=abcdef&state=1&token=xyz123#f";
    keeps(page, Scope::Command);
    keeps(page, Scope::Revealing);
    assert_eq!(redact(page, Scope::Egress), "https://host/cb?code=***&state=1&token=***#f");
    keeps("https://u:pw@host/", Scope::Command);
    assert_eq!(redact("https://u:pw@host/", Scope::Egress), "https://u:***@host/");
    assert_eq!(redact("code=abc12&user=me&password=p", Scope::Egress), "code=***&user=me&password=***");
    keeps("code=abc12 and more", Scope::Egress);
}

#[test]
fn interrupted_tokens_are_hidden() {
    let start = format!("ghp_{}", body(18));
    let rest = "z9Y8x7W6v5U4t3S2";
    for gap in ["\u{200B}", "\0", "\u{1b}[0m", "\n", "\r\n", "\u{feff}"] {
        hides(&format!("see {start}{gap}{rest} end"), rest, Scope::Command);
        hides(&format!("see gh{gap}p_{} end", &rest[2..]), &rest[2..], Scope::Command);
        hides(&format!("a{gap}{start} end"), &start, Scope::Command);
    }
    let next = format!("{start}\nordinary words 123\n");
    assert_eq!(redact(&next, Scope::Command), format!("{}\nordinary words 123\n", mask(&start)));
}

#[test]
fn known_values_are_hidden_whatever_they_look_like() {
    assert_eq!(redact_exact("say open sesame twice: open sesame", &["open sesame", "abc"]), "say *** twice: ***");
    assert!(matches!(redact_exact("abc", &["", "abc"]), Cow::Borrowed("abc")));
    assert_eq!(redact_exact("abcdefgh", &["abcd", "abcdef"]), "***gh");
}

#[test]
fn some_commands_reveal_secrets() {
    for command in [
        "env",
        "printenv | sort",
        "ls && export -p",
        "set",
        "declare -x",
        "cat .env",
        "cd a; head -5 ../.env.local",
        "grep KEY ~/.bashrc",
        "sudo cat /root/.netrc",
        "echo $(cat .env)",
        "A=1 env",
        "/usr/bin/env",
        "cat ~/.gatehouse/config.toml",
        "cat < .env",
        "cat '.env'",
    ] {
        assert!(reveals_secrets(command), "{command}");
    }
    for command in [
        "cargo test",
        "set -e",
        "export A=1 && make",
        "ls .env",
        "cat environment.md",
        "echo env",
        "declare -i n=1",
        "cat config.toml",
        "",
    ] {
        assert!(!reveals_secrets(command), "{command}");
    }
}

#[test]
fn nothing_to_hide_costs_no_copy() {
    let text = "a".repeat(100_000);
    assert!(matches!(redact(&text, Scope::Egress), Cow::Borrowed(_)));
}

proptest! {
    #[test]
    fn any_text_is_searched(text in any::<String>()) {
        for scope in [Scope::Command, Scope::Revealing, Scope::Egress] {
            redact(&text, scope);
        }
    }

    #[test]
    fn a_second_search_changes_nothing(lines in proptest::collection::vec(line(), 0..8)) {
        let text = lines.join("\n");
        for scope in [Scope::Command, Scope::Revealing, Scope::Egress] {
            let once = redact(&text, scope).into_owned();
            prop_assert_eq!(redact(&once, scope).into_owned(), once.clone());
        }
    }

    #[test]
    fn pieces_that_meet_in_awkward_ways_are_searched(parts in proptest::collection::vec(part(), 0..12)) {
        let text = parts.concat();
        for scope in [Scope::Command, Scope::Revealing, Scope::Egress] {
            prop_assert!(!redact(&text, scope).contains("a1B2c3D4e5a1B2c3D4e5"), "{}", text);
        }
    }

    #[test]
    fn a_token_between_blanks_never_survives(before in "[ -~\n]{0,40}", after in "[ -~\n]{0,40}") {
        let token = format!("ghp_{}", body(36));
        let text = format!("{before} {token} {after}");
        prop_assert!(!redact(&text, Scope::Command).contains(&token));
    }
}

/// Lines as programs write them, with secrets of every length.
fn line() -> impl Strategy<Value = String> {
    (0usize..8, "[a-zA-Z0-9]{1,40}").prop_map(|(form, secret)| match form {
        0 => format!("API_KEY={secret}"),
        1 => format!("{{\"password\": \"{secret}\"}}"),
        2 => format!("Authorization: Bearer {secret}"),
        3 => format!("open https://{secret}@host/?token={secret}&a=1"),
        4 => format!("postgres://user:{secret}@host/db"),
        5 => format!("see sk-{secret}."),
        6 => format!("12345678:{secret} +4917012345 x"),
        _ => format!("db.password: {secret} # note"),
    })
}

/// Pieces that meet in awkward ways.
fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("API_KEY=".to_owned()),
        Just("\"password\": \"".to_owned()),
        Just("\"".to_owned()),
        Just("\n".to_owned()),
        Just(" ".to_owned()),
        Just("Authorization: Bearer ".to_owned()),
        Just("https://".to_owned()),
        Just("@".to_owned()),
        Just("postgres://u:".to_owned()),
        Just("?token=".to_owned()),
        Just("&".to_owned()),
        Just("+4917012345 ".to_owned()),
        Just(format!("sk-{}", body(24))),
        Just(format!("eyJ{}", body(12))),
        Just("\u{200B}".to_owned()),
        Just("é".to_owned()),
        "[a-z0-9]{1,12} ",
    ]
}
