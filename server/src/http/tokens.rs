//! The two bearers beside the database: a person's for the API and the live page, an agent's for MCP and nothing else, so that what is
//! pasted into an agent's settings can't act as a person.
//!
//! Invariant: a token's file is ours alone. One that others may read, that another user owns or that git tracks is made anew.

use base64::Engine as _;
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use subtle::ConstantTimeEq;

/// Which bearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A person's: the API and the live page.
    Local,
    /// An agent's: MCP.
    Mcp,
}

impl TokenKind {
    /// What it begins with.
    pub fn prefix(self) -> &'static str {
        match self {
            TokenKind::Local => "cbt_",
            TokenKind::Mcp => "cbm_",
        }
    }

    /// Its file's name in `.callboard`.
    pub fn file(self) -> &'static str {
        match self {
            TokenKind::Local => "local-token",
            TokenKind::Mcp => "mcp-token",
        }
    }
}

/// A secret. It is never shown, logged or put into an answer.
#[derive(Clone)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

const SECRET_CHARS: usize = 43;

impl Token {
    /// A fresh one of 256 random bits.
    pub fn mint(kind: TokenKind, bits: &dyn Fn() -> u128) -> Token {
        let mut bytes = [0_u8; 32];
        bytes[..16].copy_from_slice(&bits().to_le_bytes());
        bytes[16..].copy_from_slice(&bits().to_le_bytes());
        Token(format!("{}{}", kind.prefix(), base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Reads one that was written before.
    pub fn parse(kind: TokenKind, raw: &str) -> Option<Token> {
        let raw = raw.trim_end_matches(['\n', '\r']);
        let secret = raw.strip_prefix(kind.prefix())?;
        let known = |character: char| character.is_ascii_alphanumeric() || character == '-' || character == '_';
        (secret.len() == SECRET_CHARS && secret.chars().all(known)).then(|| Token(raw.to_owned()))
    }

    /// Whether what came is this one, in constant time.
    pub fn is(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }

    /// The secret itself, for the one who may have it: an `Authorization` header that is about to be sent.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The name of the session cookie: cookies do not know ports, and two boards on one machine must not log each other out.
    pub fn cookie_name(&self) -> String {
        let hash = Sha256::digest(self.0.as_bytes());
        let hex: String = hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        format!("callboard-{hex}")
    }
}

/// A token and what to tell about it.
#[derive(Debug)]
pub struct Kept {
    /// The token.
    pub token: Token,
    /// Why it was made anew, for stderr; none for the first one and for one that is kept.
    pub notice: Option<String>,
}

/// Reads the token of this kind in `.callboard`, or makes it. `tracked` is git's word on whether the file is in its index.
///
/// # Errors
/// When the file can't be read or made.
pub fn keep(root: &Path, kind: TokenKind, tracked: bool, bits: &dyn Fn() -> u128) -> io::Result<Kept> {
    let path = root.join(kind.file());
    let token = Token::mint(kind, bits);
    match create(&path, &token) {
        Ok(_) => return Ok(Kept { token, notice: None }),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    // A file that was made just now is ours, whatever the system calls us; then it takes the other's place, if that is not fit.
    let fresh = root.join(format!("{}.{:016x}", kind.file(), bits()));
    let made = create(&fresh, &token)?;
    let kept = match unfit(&path, kind, tracked, &made) {
        Ok(old) => std::fs::remove_file(&fresh).map(|()| Kept { token: old, notice: None }),
        Err(why) => std::fs::rename(&fresh, &path).map(|()| Kept { token, notice: Some(format!(".callboard/{} {why}, so it was made anew", kind.file())) }),
    };
    if kept.is_err() {
        let _ = std::fs::remove_file(&fresh); // the first error is the one to tell
    }
    kept
}

/// The token, or why it is not fit for use.
fn unfit(path: &Path, kind: TokenKind, tracked: bool, made: &File) -> Result<Token, &'static str> {
    let found = std::fs::symlink_metadata(path).map_err(|_| "can't be read")?;
    if !found.is_file() {
        return Err("was no plain file");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let ours = made.metadata().map_err(|_| "can't be compared")?;
        if found.uid() != ours.uid() {
            return Err("belonged to another user");
        }
        if found.mode() & 0o077 != 0 {
            return Err("could be read by others");
        }
    }
    #[cfg(not(unix))]
    let _ = made;
    if tracked {
        return Err("was tracked by git");
    }
    let mut raw = String::new();
    File::open(path).and_then(|file| file.take(1_024).read_to_string(&mut raw)).map_err(|_| "can't be read")?;
    Token::parse(kind, &raw).ok_or("held no token")
}

fn create(path: &Path, token: &Token) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(token.0.as_bytes()).and_then(|()| file.write_all(b"\n")).and_then(|()| file.sync_all())?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn bits() -> impl Fn() -> u128 {
        let last = Cell::new(7_u128);
        move || {
            last.set(last.get().wrapping_mul(0x2545_f491_4f6c_dd1d_1234_5678_9abc_def1).wrapping_add(1));
            last.get()
        }
    }

    #[test]
    fn a_token_is_made_once_and_for_one_reader() {
        let (root, bits) = (tempfile::tempdir().unwrap(), bits());
        let first = keep(root.path(), TokenKind::Local, false, &bits).unwrap();
        assert_eq!((first.token.expose().len(), first.notice), (47, None));
        let mode = std::fs::metadata(root.path().join("local-token")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let again = keep(root.path(), TokenKind::Local, false, &bits).unwrap();
        assert!(again.token.is(first.token.expose()) && again.notice.is_none());
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1, "nothing is left beside it");
        assert!(keep(root.path(), TokenKind::Mcp, false, &bits).unwrap().token.expose().starts_with("cbm_"));
    }

    #[test]
    fn one_that_is_not_ours_alone_is_made_anew() {
        let (root, bits) = (tempfile::tempdir().unwrap(), bits());
        let path = root.path().join("local-token");
        let mut last = keep(root.path(), TokenKind::Local, false, &bits).unwrap().token;
        let mut expect = |tracked: bool, word: &str| {
            let kept = keep(root.path(), TokenKind::Local, tracked, &bits).unwrap();
            assert!(kept.notice.as_ref().is_some_and(|notice| notice.contains(word)), "{:?}", kept.notice);
            assert!(!kept.token.is(last.expose()));
            assert!(std::fs::symlink_metadata(root.path().join("local-token")).unwrap().is_file());
            last = kept.token;
        };
        expect(true, "tracked by git");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        expect(false, "read by others");
        std::fs::write(&path, "cbt_short\n").unwrap();
        expect(false, "held no token");
        std::fs::rename(&path, root.path().join("elsewhere")).unwrap();
        symlink(root.path().join("elsewhere"), &path).unwrap();
        expect(false, "no plain file");
    }

    #[test]
    fn the_cookie_is_named_after_the_token() {
        let token = Token::mint(TokenKind::Local, &|| 5);
        let name = token.cookie_name();
        assert!(name.strip_prefix("callboard-").is_some_and(|hex| hex.len() == 8 && hex.chars().all(|c| c.is_ascii_hexdigit())), "{name}");
        assert!(!format!("{token:?}").contains(token.expose()));
    }
}
