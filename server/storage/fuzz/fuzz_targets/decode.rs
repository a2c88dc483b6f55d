//! Any bytes as a line of a log file: an answer, never a panic; and what was read is written as everybody would write it. Bytes that are
//! an object are the body of a line too, since no fuzzer finds a line's hash by chance: such a line is always read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use storage::encoding::{Line, Reason, canonical, decode, encode, id_of};

const SAMPLE: &str = r#"{"actor":"dev:ana","at":"2026-11-29T11:37:08.123Z#0000","body":{"title":"Café: refresh token table","type":"feature"},"id":"56c0fa47da4a3e69872c031a3dcfe1d3","kind":"task.created","n":1,"prev":"00000000000000000000000000000000","principal":"local:ana","subject":"tk-4f2a9c","v":1,"writer":"9c1e07ab"}"#;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(line) = decode(bytes) {
        reads_back(&line);
    }
    if let Ok(body) = serde_json::from_slice(bytes) {
        let mut event = decode(SAMPLE.as_bytes()).expect("the sample is a line").event;
        event.body = body;
        let body = canonical(&event.body);
        event.id = id_of(&event, &body);
        match decode(encode(&Line { event, body }).as_bytes()) {
            Ok(line) => reads_back(&line),
            Err(reason) => assert_eq!(reason, Reason::TooLong),
        }
    }
});

fn reads_back(line: &Line) {
    assert_eq!(decode(encode(line).as_bytes()).as_ref(), Ok(line));
}
