//! A version of a workflow is its hash: SHA-256 over its canonical JSON. The same process written in another order, or as JSON instead of
//! YAML, is the same version; a comment changes nothing.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt;

/// A version's name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(String);

impl Version {
    /// The version of a document, and the bytes that were hashed (RFC 8785).
    ///
    /// # Errors
    /// A document that no canonical JSON can hold, such as one with a number out of range; in words.
    pub fn of(document: &Value) -> Result<(Version, Vec<u8>), String> {
        let bytes = serde_json_canonicalizer::to_vec(document).map_err(|fault| format!("no canonical form: {fault}"))?;
        let digest = Sha256::digest(&bytes);
        Ok((Version(digest.iter().map(|byte| format!("{byte:02x}")).collect()), bytes))
    }

    /// All 64 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The eight that people read.
    pub fn short(&self) -> &str {
        &self.0[..8]
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.short())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::read;

    fn version(text: &str) -> String {
        Version::of(&read(text).unwrap().value).unwrap().0.as_str().to_owned()
    }

    #[test]
    fn the_same_process_is_the_same_version_however_it_is_written() {
        let yaml = version("# mine\nworkflow: x\nsteps: [{id: a, instructions: do it}]\n");
        assert_eq!(yaml, version("steps:\n- instructions: do it\n  id: a\nworkflow: x\n"));
        assert_eq!(yaml, version(r#"{"workflow": "x", "steps": [{"id": "a", "instructions": "do it"}]}"#));
        assert_ne!(yaml, version("workflow: x\nsteps: [{id: a, instructions: do it now}]\n"));
    }

    #[test]
    fn a_version_is_named_by_eight_digits() {
        let (version, bytes) = Version::of(&serde_json::json!({"b": 1, "a": "é"})).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), "{\"a\":\"é\",\"b\":1}");
        assert_eq!(version.to_string().len(), 8);
        assert!(version.as_str().starts_with(version.short()));
    }
}
