//! Builds the browser's half and lays it out to be embedded: one `cargo build` makes the whole product.
//!
//! In: `app/frontend` for wasm32, `style/*.css`, `public/*`. Out, in `$OUT_DIR`: `site/`, where every file carries the hash of its
//! content in its name and stands beside its compressed forms, and `assets.rs` with those names.
//! `CALLBOARD_UI=skip` leaves `site/` empty, for quick checks of server crates.
#![allow(clippy::print_stdout, reason = "a build script talks to cargo on stdout")]

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use sha2::{Digest, Sha256};
use wasm_bindgen_cli_support::Bindgen;

const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// A reason to stop the build, worded for the person who started it.
type Refusal = String;

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(refusal) => {
            for line in refusal.lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), Refusal> {
    let place = Place::from_cargo()?;
    watch(&place);
    let site = Site::empty_at(&place.out.join("site"))?;
    if env::var("CALLBOARD_UI").is_ok_and(|value| value == "skip") {
        return write_names(&place, &site);
    }
    let mut site = site;
    let (js, wasm) = bind(&place, &compile(&place)?)?;
    site.put("app.js", &js, place.release)?;
    site.put("app.wasm", &wasm, place.release)?;
    site.put("app.css", &joined_styles(&place.root.join("style"))?, place.release)?;
    for (name, bytes) in files(&place.root.join("public"))? {
        site.put(&name, &bytes, place.release)?;
    }
    report_sizes(&place, &site)?;
    write_names(&place, &site)
}

/// Where things are, as cargo tells.
struct Place {
    root: PathBuf,
    out: PathBuf,
    /// The inner cargo's own target folder: it must not wait for the lock the outer one holds.
    ui_target: PathBuf,
    release: bool,
}

impl Place {
    fn from_cargo() -> Result<Place, Refusal> {
        let var = |name: &str| env::var(name).map_err(|_| format!("{name} is not set: this runs under cargo"));
        let server = PathBuf::from(var("CARGO_MANIFEST_DIR")?);
        let out = PathBuf::from(var("OUT_DIR")?);
        let root = server.parent().ok_or("the server crate has no folder above it")?.to_owned();
        // <target>/<profile>/build/<package>/out
        let ui_target = out.ancestors().nth(4).ok_or("OUT_DIR is not below a target folder")?.join("ui");
        Ok(Place { root, out, ui_target, release: var("PROFILE")? == "release" })
    }
}

fn watch(place: &Place) {
    for path in ["app", "style", "public", "Cargo.lock", "Cargo.toml", "server/build.rs"] {
        println!("cargo::rerun-if-changed={}", place.root.join(path).display());
    }
    println!("cargo::rerun-if-env-changed=CALLBOARD_UI");
}

/// Builds `frontend` for the browser and returns where its wasm is.
fn compile(place: &Place) -> Result<PathBuf, Refusal> {
    require_wasm_target()?;
    let (profile, folder) = if place.release { ("wasm-release", "wasm-release") } else { ("dev", "debug") };
    let mut cargo = start(&env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    // Whatever the outer cargo set for this crate would leak into the inner build: its flags, its wrapper, its target folder.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let ours = text == "CARGO_HOME";
        if !ours && (text.starts_with("CARGO") || text == "RUSTFLAGS" || text.starts_with("RUSTC")) {
            cargo.env_remove(&name);
        }
    }
    cargo.current_dir(&place.root).args(["build", "--locked", "--package", "frontend", "--lib"]);
    cargo.args(["--target", WASM_TARGET, "--profile", profile, "--target-dir"]).arg(&place.ui_target);
    let status = cargo.status().map_err(|error| format!("the build of the UI did not start: {error}"))?;
    if !status.success() {
        return Err("the build of the UI failed; its errors are above (CALLBOARD_UI=skip builds without it)".into());
    }
    Ok(place.ui_target.join(WASM_TARGET).join(folder).join("frontend.wasm"))
}

fn require_wasm_target() -> Result<(), Refusal> {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let asked = start(&rustc).args(["--print", "target-libdir", "--target", WASM_TARGET]).output();
    let folder = asked.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    if Path::new(folder.trim()).is_dir() {
        return Ok(());
    }
    Err(format!("the UI needs Rust's browser target, once: rustup target add {WASM_TARGET}"))
}

#[allow(clippy::disallowed_methods, reason = "a build script starts the compiler; nothing here reaches the product")]
fn start(program: &str) -> Command {
    Command::new(program)
}

/// Runs wasm-bindgen as a library, so that its version is always that of Cargo.lock. Returns the module's JS and its wasm.
fn bind(place: &Place, wasm: &Path) -> Result<(Vec<u8>, Vec<u8>), Refusal> {
    let bound = place.out.join("bound");
    let _ = fs::remove_dir_all(&bound); // what an earlier run left; absent the first time
    let mut bindgen = Bindgen::new();
    bindgen
        .web(true)
        .map_err(|error| format!("wasm-bindgen: {error:#}"))?
        .input_path(wasm)
        .out_name("app")
        .typescript(false)
        .omit_default_module_path(true) // the page names the hashed file itself
        .remove_name_section(place.release)
        .remove_producers_section(true)
        .generate(&bound)
        .map_err(|error| format!("wasm-bindgen: {error:#}"))?;
    if bound.join("snippets").exists() {
        return Err("a dependency brings JavaScript files of its own, which this build does not lay out".into());
    }
    Ok((read(&bound.join("app.js"))?, read(&bound.join("app_bg.wasm"))?))
}

/// `main.css` first, because it declares the layers; then the others by name.
fn joined_styles(folder: &Path) -> Result<Vec<u8>, Refusal> {
    let mut sheets = files(folder)?;
    let mut joined = sheets.remove("main.css").ok_or("style/main.css is missing")?;
    for (name, sheet) in sheets {
        if name.ends_with(".css") {
            joined.push(b'\n');
            joined.extend(sheet);
        }
    }
    Ok(joined)
}

/// The files of one folder by name; hidden ones and folders are left out.
fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, Refusal> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(|error| trouble(folder, error))? {
        let path = entry.map_err(|error| trouble(folder, error))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if path.is_file() && !name.starts_with('.') {
            found.insert(name.to_owned(), read(&path)?);
        }
    }
    Ok(found)
}

/// What will be embedded, as it grows.
struct Site {
    folder: PathBuf,
    /// From the name a page means (`app.js`) to the file that holds it.
    files: BTreeMap<String, Laid>,
}

struct Laid {
    name: String,
    bytes: usize,
    /// What goes over the wire to a browser that takes brotli.
    brotli: usize,
}

impl Site {
    fn empty_at(folder: &Path) -> Result<Site, Refusal> {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|error| trouble(folder, error))?;
        }
        fs::create_dir_all(folder).map_err(|error| trouble(folder, error))?;
        Ok(Site { folder: folder.to_owned(), files: BTreeMap::new() })
    }

    /// Writes a file under its hashed name, with the compressed forms that are smaller than itself.
    fn put(&mut self, name: &str, bytes: &[u8], thorough: bool) -> Result<(), Refusal> {
        let (stem, extension) = name.rsplit_once('.').ok_or_else(|| format!("{name} has no extension"))?;
        let hashed = format!("{stem}.{}.{extension}", hash(bytes));
        self.write(&hashed, bytes)?;
        let brotli = brotli(bytes, thorough).map_err(|error| trouble(name, error))?;
        let gzip = gzip(bytes).map_err(|error| trouble(name, error))?;
        for (form, packed) in [("br", &brotli), ("gz", &gzip)] {
            if packed.len() < bytes.len() {
                self.write(&format!("{hashed}.{form}"), packed)?;
            }
        }
        let laid = Laid { name: hashed, bytes: bytes.len(), brotli: brotli.len().min(bytes.len()) };
        self.files.insert(name.to_owned(), laid);
        Ok(())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Refusal> {
        fs::write(self.folder.join(name), bytes).map_err(|error| trouble(name, error))
    }

    /// One name for all of it: names carry the hashes of their contents.
    fn hash(&self) -> String {
        let names: Vec<&str> = self.files.values().map(|laid| laid.name.as_str()).collect();
        hash(names.join("\n").as_bytes())
    }
}

/// The first 16 hex digits of the SHA-256.
fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // a String takes everything
        text
    })
}

/// Quality 11 for what is shipped; a debug build has ten times the wasm and is looked at once.
fn brotli(bytes: &[u8], thorough: bool) -> std::io::Result<Vec<u8>> {
    let mut packed = brotli::CompressorWriter::new(Vec::new(), 1 << 16, if thorough { 11 } else { 5 }, 24);
    packed.write_all(bytes)?;
    Ok(packed.into_inner())
}

fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(bytes)?;
    packed.finish()
}

/// Says what a first visit costs, and leaves the numbers of a release build where `make check` holds them to their budget.
fn report_sizes(place: &Place, site: &Site) -> Result<(), Refusal> {
    let kib = |bytes: usize| format!("{:.1} KiB", bytes as f64 / 1024.0);
    let mut said = String::new();
    let mut table = String::new();
    for (name, laid) in &site.files {
        let _ = write!(said, "{name} {}, ", kib(laid.brotli));
        let _ = writeln!(table, "{name}\t{}\t{}", laid.bytes, laid.brotli);
    }
    let all: usize = site.files.values().map(|laid| laid.brotli).sum();
    println!("cargo::warning=UI over the wire: {said}together {}", kib(all));
    if place.release {
        let sizes = place.ui_target.join("sizes.tsv");
        fs::write(&sizes, table).map_err(|error| trouble(&sizes, error))?;
    }
    Ok(())
}

/// Writes `assets.rs`: constants with the file names, empty where there is no UI, and the build's own name.
fn write_names(place: &Place, site: &Site) -> Result<(), Refusal> {
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let name = |file: &str| site.files.get(file).map_or("", |laid| laid.name.as_str());
    let mut source = String::new();
    for (constant, file, what) in [
        ("JS", "app.js", "The module that starts the app."),
        ("WASM", "app.wasm", "The app itself."),
        ("CSS", "app.css", "All styles."),
        ("ICONS", "icons.svg", "The sprite of icons and states."),
        ("FAVICON", "favicon.svg", "The page's icon."),
    ] {
        let _ = writeln!(source, "/// {what}\npub const {constant}: &str = {:?};", name(file));
    }
    let build = format!("{version}+{}", if site.files.is_empty() { "skip".to_owned() } else { site.hash() });
    let _ = writeln!(source, "/// Version and hash of the assets.\npub const BUILD: &str = {build:?};");
    let path = place.out.join("assets.rs");
    fs::write(&path, source).map_err(|error| trouble(&path, error))
}

fn read(path: &Path) -> Result<Vec<u8>, Refusal> {
    fs::read(path).map_err(|error| trouble(path, error))
}

fn trouble(what: impl AsRef<Path>, error: impl Display) -> Refusal {
    format!("{}: {error}", what.as_ref().display())
}
