//! `report`: one page that needs nothing else, in which nothing foreign is markup.

use std::fs;

use autoscorer_tests::Sandbox;
use roxmltree::{Document, Node};
use serde_json::{Value, json};

/// The page, which is XML but for its first line.
fn page(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let finished = sandbox.run(&[&["report"], arguments, &["-o", "report.html"]].concat());
    assert_eq!((finished.code, finished.stdout.as_str()), (0, "report.html\n"), "{}", finished.stderr);
    let text = fs::read_to_string(sandbox.path().join("report.html")).unwrap();
    text.strip_prefix("<!doctype html>\n").unwrap().to_owned()
}

/// Nothing in it runs, and nothing in it comes from elsewhere.
fn assert_self_contained(document: &Document<'_>) {
    for node in document.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        let known = [
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "header",
            "section",
            "h1",
            "h2",
            "h3",
            "h4",
            "p",
            "b",
            "div",
            "span",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "a",
            "code",
            "details",
            "summary",
            "figure",
            "figcaption",
            "img",
        ];
        assert!(known.contains(&name), "<{name}>");
        for attribute in node.attributes() {
            let (key, value) = (attribute.name(), attribute.value());
            assert!(!key.starts_with("on") && key != "style" && key != "srcset", "{key}={value}");
            assert!(key != "href" || value.starts_with("#r"), "{value}");
            assert!(key != "src" || value.starts_with("data:image/"), "{value}");
        }
    }
    let style = document.descendants().find(|node| node.has_tag_name("style")).unwrap().text().unwrap();
    assert!(!style.contains("url(") && !style.contains("@import") && style.contains("prefers-color-scheme: dark"));
    let policy = document.descendants().find(|node| node.attribute("http-equiv").is_some()).unwrap();
    assert_eq!(policy.attribute("content"), Some("default-src 'none'; style-src 'unsafe-inline'; img-src data:"));
}

fn texts(document: &Document<'_>, tag: &str) -> Vec<String> {
    let text = |node: Node<'_, '_>| node.descendants().filter(Node::is_text).filter_map(|inner| inner.text()).collect();
    document.descendants().filter(|node| node.has_tag_name(tag)).map(text).collect()
}

#[test]
fn a_workspace_with_all_it_has() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    assert_eq!(sandbox.run(&["score", "ws", "-p", "missing=wrong"]).code, 0);
    let text = page(&sandbox, &["ws"]);
    let document = Document::parse(&text).unwrap();
    assert_self_contained(&document);
    assert_eq!(texts(&document, "h1"), ["ws"]);
    let cells = texts(&document, "td");
    for expected in ["f1_macro", "0.666667", "support_cat", "2.0.0", "Macro-F1 Score"] {
        assert!(cells.iter().any(|cell| cell == expected), "{expected}: {cells:?}");
    }
    assert_eq!(texts(&document, "figcaption"), ["confusion_matrix.svg", "per_class.svg"]);
    let pictures: Vec<_> = document.descendants().filter_map(|node| node.attribute("src")).collect();
    assert!(
        pictures.len() == 2
            && pictures.iter().all(|url| url.starts_with("data:image/svg+xml;base64,PD94")
                || url.starts_with("data:image/svg+xml;base64,PHN2Zy"))
    );
    // The same by its result, with JSON for machines, over the older page.
    let json = sandbox.run(&["report", "ws/output/result.json", "-o", "report.html", "--json"]);
    assert_eq!((json.code, &json.json()["data"]["results"]), (0, &json!(1)));
}

#[test]
fn a_folder_is_one_page_with_an_overview_and_a_failure_is_shown_as_one() {
    let sandbox = Sandbox::new();
    for name in ["runs/good", "runs/broken", "runs/unscored"] {
        sandbox.workspace(name, "classification_f1");
    }
    sandbox.write("runs/broken/output/pred.csv", "id,label\n1,cat\n");
    assert_eq!(sandbox.run(&["score", "runs/good", "runs/broken"]).code, 3);
    let text = page(&sandbox, &["runs"]);
    let document = Document::parse(&text).unwrap();
    assert_self_contained(&document);
    assert_eq!(texts(&document, "h2"), ["broken", "good", "unscored"]);
    assert_eq!(texts(&document, "a"), ["broken", "good", "unscored"]);
    for link in document.descendants().filter_map(|node| node.attribute("href")) {
        assert!(document.descendants().any(|node| node.attribute("id") == Some(&link[1..])), "{link}");
    }
    assert!(text.contains("MISMATCH") && text.contains("autoscorer score runs/unscored"));
}

#[test]
fn nothing_foreign_is_markup() {
    let sandbox = Sandbox::new();
    let hostile = "</td><script>alert(1)</script>\"' onload=x \u{202e}\u{1}&";
    let workspace = sandbox.workspace("ws", "classification_f1");
    assert_eq!(sandbox.run(&["score", "ws"]).code, 0);
    let path = workspace.join("output/result.json");
    let mut result: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let picture = result["artifacts"]["per_class.svg"].clone();
    result["metrics"][hostile] = json!(1.0);
    result["summary"]["rank"] = json!(hostile);
    result["summary"]["primary_metric"] = json!(hostile);
    result["warnings"] = json!([{"code": hostile, "message": hostile}]);
    result["versioning"][hostile] = json!({hostile: hostile});
    result["versioning"]["scorer"] = json!(hostile);
    result["artifacts"] = json!({
        hostile: picture,
        "elsewhere.svg": {"path": "../../secret.svg", "size": 1, "sha256": "", "content_type": "image/svg+xml"},
        "page.svg": {"path": "output/artifacts/per_class.svg", "size": 1, "sha256": hostile, "content_type": "text/html\" onerror=\"x"},
    });
    fs::write(&path, result.to_string()).unwrap();
    let text = page(&sandbox, &["ws"]);
    let document = Document::parse(&text).unwrap();
    assert_self_contained(&document);
    assert!(!text.contains("<script") && !text.contains('\u{202e}') && !text.contains('\u{1}'));
    assert!(text.contains("&lt;/td&gt;&lt;script&gt;"), "it is shown as text");
    assert!(text.contains("elsewhere.svg lies outside of the workspace"));
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("img")).count(), 1);

    let failed = json!({"summary": {}, "metrics": {}, "versioning": {}, "error": {"code": "SCORE_ERROR", "message": hostile,
        "stage": hostile, "details": {"file": hostile, "found": hostile, "hint": hostile.repeat(1000)}}});
    sandbox.write("failed.json", failed.to_string());
    let text = page(&sandbox, &["failed.json", "ws"]);
    assert_self_contained(&Document::parse(&text).unwrap());
    assert!(!text.contains("<script"));
}

#[test]
fn a_hostile_picture_stays_inside_its_image() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    assert_eq!(sandbox.run(&["score", "ws"]).code, 0);
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(2)</script><image href='https://example.com/x'/></svg>";
    let file = sandbox.write("ws/output/artifacts/per_class.svg", svg);
    let result = workspace.join("output/result.json");
    let listed: Value = serde_json::from_slice(&fs::read(&result).unwrap()).unwrap();
    let changed = page(&sandbox, &["ws"]);
    assert!(changed.contains("per_class.svg is not the file that the result was written with"));
    // A scorer may have written it itself.
    let sum = std::process::Command::new("sha256sum").arg(file).output().unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap()[..64].to_owned();
    let old = listed["artifacts"]["per_class.svg"]["sha256"].as_str().unwrap();
    fs::write(&result, fs::read_to_string(&result).unwrap().replace(old, &sum)).unwrap();
    let text = page(&sandbox, &["ws"]);
    let document = Document::parse(&text).unwrap();
    assert_self_contained(&document);
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("img")).count(), 2);
    assert!(!text.contains("alert") && !text.contains("example.com"));
}

#[test]
fn what_is_no_page_is_not_overwritten() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    assert_eq!(sandbox.run(&["score", "ws"]).code, 0);
    for (out, code) in [("ws/output/result.json", 2), ("ws", 2), ("no/such/folder/report.html", 3)] {
        let refused = sandbox.run(&["report", "ws", "-o", out]);
        assert_eq!((refused.code, refused.stdout.as_str()), (code, ""), "{out}: {}", refused.stderr);
    }
    assert!(fs::read_to_string(sandbox.path().join("ws/output/result.json")).unwrap().starts_with('{'));
    assert_eq!(sandbox.run(&["report", "nowhere", "-o", "report.html"]).code, 3);
    assert!(!sandbox.path().join("report.html").exists());
}
