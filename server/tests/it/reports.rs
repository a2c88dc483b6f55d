//! Reports and their narration, by the binary: what is told, what stands in the files, and what becomes of both when something breaks.

mod files;
mod large;
mod narration;
mod watched;

use crate::hooks::scene::Scene;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A scene whose narrator is this script, with what it is told on stdin. `say TEXT` is a piece of the answer, `over` its end.
fn scene(script: &str) -> Scene {
    let scene = Scene::new();
    let program = scene.stage.home().join("narrator");
    let say = r#"say() { printf '{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"%s"}}}\n' "$1"; }"#;
    let over = r#"over() { echo '{"type":"result","subtype":"success","is_error":false,"total_cost_usd":0.0125,"usage":{"output_tokens":42}}'; }"#;
    let init = r#"echo '{"type":"system","subtype":"init","model":"scripted-1","tools":[]}'"#;
    fs::write(&program, format!("#!/bin/bash\nHERE={}\n{say}\n{over}\n{init}\n{script}\n", scene.stage.home().display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let config = scene.stage.home().join(".config/callboard");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), format!("[providers.claude]\nprogram = {program:?}\n")).unwrap();
    scene
}

fn file(scene: &Scene, label: &str) -> PathBuf {
    scene.stage.board().join(format!("reports/{label}.md"))
}

fn text(scene: &Scene, label: &str) -> String {
    fs::read_to_string(file(scene, label)).unwrap()
}

/// Names of the files of reports.
fn names(scene: &Scene) -> Vec<String> {
    let entries = fs::read_dir(scene.stage.board().join("reports")).into_iter().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
