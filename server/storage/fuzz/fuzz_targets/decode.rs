//! Any bytes as a line of a log file: an answer, never a panic; and what was read is written as everybody would write it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use storage::encoding::{decode, encode};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(line) = decode(bytes) {
        let text = encode(&line);
        let again = decode(text.as_bytes());
        assert_eq!(again.as_ref(), Ok(&line));
    }
});
