//! Archives as uploads, good ones and hostile ones.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// An archive of files by name, made by Python: it makes what careful tools would refuse to make. A text that begins with `->` is
/// a link, `zeros:` so many zeros; in a tar also `=>` a hard link, `c:` and `b:` a device, `p:` a pipe.
pub fn archive(sandbox: &Sandbox, kind: &str, entries: &Value) -> Vec<u8> {
    let file = sandbox.path().join(format!("upload.{kind}"));
    let script = r#"
import io, json, stat, sys, tarfile, zipfile
kind, path, entries = sys.argv[1], sys.argv[2], json.load(open(sys.argv[3]))
if kind == "zip":
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in entries.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            if text.startswith("->"):
                info.create_system, info.external_attr, text = 3, (stat.S_IFLNK | 0o777) << 16, text[2:]
            made.writestr(info, bytes(int(text[6:])) if text.startswith("zeros:") else text)
else:
    with tarfile.open(path, "w:gz" if kind == "tgz" else "w") as made:
        for name, text in entries.items():
            info = tarfile.TarInfo(name)
            kinds = {"->": tarfile.SYMTYPE, "=>": tarfile.LNKTYPE, "c:": tarfile.CHRTYPE, "b:": tarfile.BLKTYPE, "p:": tarfile.FIFOTYPE}
            if text[:2] in kinds:
                info.type, info.linkname = kinds[text[:2]], text[2:]
                made.addfile(info)
                continue
            data = bytes(int(text[6:])) if text.startswith("zeros:") else text.encode()
            info.size = len(data)
            made.addfile(info, io.BytesIO(data))
"#;
    let list = sandbox.write("upload.json", entries.to_string());
    let made = Command::new("python3").args(["-c", script, kind]).arg(&file).arg(list).status();
    assert!(made.unwrap().success());
    fs::read(file).unwrap()
}

/// The files of a workspace with three labelled rows, one of them wrong.
pub fn workspace_files() -> Value {
    json!({
        "meta.json": r#"{"scorer": "classification_f1"}"#,
        "input/gt.csv": "id,label\n1,cat\n2,dog\n3,cat\n",
        "output/pred.csv": "id,label\n1,cat\n2,dog\n3,dog\n",
    })
}
