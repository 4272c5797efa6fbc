use super::*;
use crate::config::edit::ProviderEdit;

const FILE: &str = r#"# my settings
colour = "red"
[[provider]]
name = "lab" # the box under the desk
kind = "openai-compatible"
base_url = "http://127.0.0.1:1/v1"
modles = ["large"]
models = ["small"]
[[provider]]
name = "half"
kind = "openai-compatible"
[agent]
approvals = "sometimes"
[limits]
processes = 7 # enough
processes_per_session = 0
[notifications]
quiet_from = "25:00"
"#;

#[test]
fn a_bad_value_refuses_its_key_and_keeps_the_rest() {
    let (config, warnings) = Config::parse(FILE, &Config::default());
    let told: Vec<_> = warnings.iter().map(|w| (w.key.as_str(), w.line)).collect();
    let expected = [
        ("colour", Some(2)),
        ("provider[0].modles", Some(7)),
        ("provider[1]", Some(9)),
        ("agent.approvals", Some(13)),
        ("limits.processes_per_session", Some(16)),
        ("notifications.quiet_from", Some(18)),
    ];
    assert_eq!(told, expected);
    assert_eq!((config.processes, config.processes_per_session), (7, 32));
    assert_eq!(config.approvals, ApprovalMode::Ask);
    assert_eq!(config.chosen_model().map(|(p, m)| (p.name.as_str(), m)), Some(("lab", "small")));
    assert_eq!(warnings[4].words, "Use a number from 1 to 10000. The old value, 32, still applies.");
}

#[test]
fn what_cannot_be_taken_stays_as_it_was() {
    let (before, _) = Config::parse("[agent]\napprovals = \"off\"\n[look]\ntheme = \"dark\"\n", &Config::default());
    let (after, warnings) = Config::parse("[agent]\napprovals = 3\n[look]\ntheme = \"pink\"\n", &before);
    assert_eq!((after.approvals, after.look.theme), (ApprovalMode::Off, Theme::Dark));
    assert_eq!(warnings.len(), 2);
    let (gone, none) = Config::parse("", &before);
    assert_eq!(
        (gone.approvals, none),
        (ApprovalMode::Ask, Vec::new()),
        "a key that was taken out is the default again"
    );
}

#[test]
fn a_file_that_is_not_toml_says_where_and_changes_nothing() {
    let (before, _) = Config::parse("[limits]\nprocesses = 5\n", &Config::default());
    let (after, warnings) = Config::parse("[limits]\nprocesses = 9\n[agent\nmodel=1", &before);
    assert_eq!(after, before);
    assert_eq!((warnings[0].key.as_str(), warnings[0].line), ("", Some(3)));
}

#[test]
fn a_change_leaves_comments_and_order_alone() {
    let mut edit = Edit::begin(FILE).unwrap();
    edit.set("limits.processes", Some(Value::Number(9))).unwrap();
    edit.set("agent.approvals", None).unwrap();
    edit.set("look.theme", Some(Value::Text("dark".into()))).unwrap();
    let lab = ProviderEdit {
        name: "lab",
        kind: ProviderKind::Compatible,
        base_url: "http://127.0.0.1:2/v1",
        models: &[],
        key: Some(&KeySource::Stored("lab".into())),
    };
    edit.put_provider("lab", lab).unwrap();
    let text = edit.finish();
    let expected = FILE
        .replace("processes = 7 # enough", "processes = 9 # enough")
        .replace("approvals = \"sometimes\"\n", "")
        .replace("127.0.0.1:1", "127.0.0.1:2")
        .replace("models = [\"small\"]\n", "api_key = { keyring = \"lab\" }\n");
    assert_eq!(text, format!("{expected}\n[look]\ntheme = \"dark\"\n"));
}

#[test]
fn providers_come_and_go_by_name() {
    let mut edit = Edit::begin("").unwrap();
    let new = |name| ProviderEdit {
        name,
        kind: ProviderKind::Ollama,
        base_url: "http://127.0.0.1:11434/v1",
        models: &[],
        key: None,
    };
    edit.put_provider("a", new("a")).unwrap();
    edit.put_provider("b", new("b")).unwrap();
    assert!(edit.put_provider("b", new("a")).unwrap_err().contains("already"));
    assert!(edit.put_provider("c", new("c/d")).unwrap_err().contains("slash"));
    edit.put_provider("b", new("second")).unwrap();
    assert!(edit.remove_provider("a").unwrap());
    assert!(!edit.remove_provider("a").unwrap());
    let (config, warnings) = Config::parse(&edit.finish(), &Config::default());
    assert_eq!(warnings, []);
    assert_eq!(config.providers.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["second"]);
}

#[test]
fn a_broken_file_is_not_changed() {
    let refused = Edit::begin("a = 1\nb = \n").err().unwrap();
    assert!(refused.contains("line 2"), "{refused}");
}

#[test]
fn a_key_never_stands_in_the_file() {
    let file =
        "[[provider]]\nname=\"a\"\nkind=\"openai\"\nbase_url=\"https://a.example/v1\"\napi_key=\"sk-1234567890\"\n";
    let (config, warnings) = Config::parse(file, &Config::default());
    assert!(config.providers.is_empty());
    assert!(warnings[0].words.contains("never stands in it") && !warnings[0].words.contains("sk-1234567890"));
}

#[test]
fn loopback_is_this_computer() {
    let at = |base_url: &str| {
        ProviderConfig {
            name: "x".into(),
            kind: ProviderKind::Compatible,
            base_url: base_url.into(),
            key: KeySource::None,
            models: Vec::new(),
        }
        .is_local()
    };
    let local = ["http://127.0.0.1:1/v1", "http://localhost/v1", "http://[::1]:8080/v1", "http://u@127.3.0.1"];
    assert!(local.into_iter().all(at));
    let elsewhere =
        ["https://api.openai.com/v1", "http://127.0.0.1.example/v1", "http://localhost.example", "nonsense"];
    assert!(!elsewhere.into_iter().any(at));
}

#[test]
fn times_of_day_are_read_strictly() {
    assert_eq!("07:05".parse::<TimeOfDay>().map(TimeOfDay::minutes), Ok(425));
    for bad in ["7:05", "24:00", "12:60", "12", "", "+1:00", "12:0a"] {
        assert!(bad.parse::<TimeOfDay>().is_err(), "{bad}");
    }
    assert_eq!(TimeOfDay::from_minutes(425).to_string(), "07:05");
}

#[test]
fn how_long_a_turn_may_stand_still_and_where_groups_are_made() {
    use gatehouse_process::Groups;
    let read = |text: &str| Config::parse(text, &Config::default());
    let (config, warnings) = read("[gateway]\ninactivity_timeout_s = 0\n[process]\ncgroup = \"/sys/fs/cgroup/mine\"\n");
    assert_eq!((config.inactivity_timeout, warnings), (Duration::ZERO, Vec::new()));
    assert_eq!(config.groups, Groups::Below("/sys/fs/cgroup/mine".into()));
    for (text, groups) in [("", Groups::FromSystemd), ("none", Groups::None)] {
        assert_eq!(read(&format!("[process]\ncgroup = \"{text}\"\n")).0.groups, groups);
    }
    let (kept, warnings) = read("[gateway]\ninactivity_timeout_s = -1\n[process]\ncgroup = \"mine\"\n");
    assert_eq!((kept.inactivity_timeout, kept.groups), (Duration::from_secs(1_800), Groups::FromSystemd));
    let keys: Vec<_> = warnings.iter().map(|warning| warning.key.as_str()).collect();
    assert_eq!(keys, ["gateway.inactivity_timeout_s", "process.cgroup"]);
    assert!(warnings[0].words.ends_with("The old value, 1800, still applies."), "{}", warnings[0].words);
}
