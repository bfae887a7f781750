//! `config show`: every setting has a value and an origin, and no secret is shown.

use autoscorer_tests::Sandbox;
use serde_json::Value;

fn origin_of<'a>(document: &'a Value, name: &str) -> (&'a Value, &'a str) {
    let all = document["data"]["settings"].as_array().unwrap();
    let one = all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name} in {document}"));
    (&one["value"], one["origin"].as_str().unwrap())
}

#[test]
fn every_setting_tells_where_it_comes_from() {
    let sandbox = Sandbox::new();
    sandbox
        .write("host.toml", "timeout = 60\nbreaker = 2\n[serve]\nroot = 'runs'\ndrain = 5\nallow-host = ['a', 'b']\n");
    let mut command = sandbox.command(&["config", "show", "--json", "--config", "host.toml", "--drain", "7"]);
    let finished = autoscorer_tests::Finished::from(command.env("AUTOSCORER_QUEUE_LIMIT", "12").output().unwrap());
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let document = finished.json();
    assert_eq!(document["data"]["file"], "host.toml");
    let origin = |name| origin_of(&document, name);
    assert_eq!(origin("timeout"), (&60.0.into(), "file"));
    assert_eq!(origin("breaker"), (&2.into(), "file"));
    assert_eq!(origin("serve.root"), (&"runs".into(), "file"));
    assert_eq!(origin("serve.drain"), (&7.0.into(), "flag"));
    assert_eq!(origin("serve.queue-limit"), (&12.into(), "environment"));
    assert_eq!(origin("serve.allow-host"), (&serde_json::json!(["a", "b"]), "file"));
    assert_eq!(origin("serve.max-attempts"), (&3.into(), "default"));
    assert_eq!(origin("custom-scorers").1, "flag");
}

#[test]
fn people_get_a_table() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "autoscorer.toml",
        "isolation = 'in-process'\nmemory = '1500Mi'\nmax-workers = 4\n[serve]\nrunners = 4\nlog-format = 'json'\n",
    );
    let finished = sandbox.run(&["config", "show", "--allow-override", "classification_f1"]);
    let table: Vec<_> = finished
        .stdout
        .lines()
        .filter(|line| !line.starts_with("store ") && !line.starts_with("plugins "))
        .map(|line| line.split("  ").filter(|cell| !cell.is_empty()).map(str::trim).collect::<Vec<_>>().join(" | "))
        .collect();
    insta::assert_snapshot!(sandbox.anonymous(&format!("{}\n\n{}", table.join("\n"), finished.stderr)));
}

#[test]
fn a_secret_is_never_shown() {
    let sandbox = Sandbox::new();
    sandbox.write("autoscorer.toml", "[serve]\ncallback-secret = 'hush-from-file'\n");
    for (arguments, secret) in [
        (vec!["config", "show"], "hush-from-file"),
        (vec!["config", "show", "--json"], "hush-from-file"),
        (vec!["config", "show", "--callback-secret", "hush-by-flag"], "hush-by-flag"),
    ] {
        let finished = sandbox.run(&arguments);
        assert_eq!(finished.code, 0);
        assert!(!format!("{}{}", finished.stdout, finished.stderr).contains(secret), "{}", finished.stdout);
        assert!(finished.stdout.contains("serve.callback-secret"));
    }
    assert_eq!(
        origin_of(&sandbox.run(&["config", "show", "--json"]).json(), "serve.callback-secret"),
        (&true.into(), "file")
    );
}

#[test]
fn a_wrong_file_is_an_error_of_usage() {
    let sandbox = Sandbox::new();
    sandbox.write("autoscorer.toml", "[serve]\nno-such-key = 1\n");
    let finished = sandbox.run(&["config", "show"]);
    assert_eq!(finished.code, 2);
    assert!(finished.stderr.contains("no-such-key"), "{}", finished.stderr);
}
