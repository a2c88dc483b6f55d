//! Questions of a holder: the turn ends, the step waits, and it is handed out again with the answer.

use super::decide::Deciding;
use super::event::RunEvent;
use super::state::*;
use contracts::{Code, Hint, Problem};

/// Questions one instance may ask before a person must look.
const ASKS: usize = 5;

impl Deciding<'_> {
    pub(super) fn ask(&mut self, handle: &HandleId, text: &str, choices: &[String]) -> Result<(), Problem> {
        let run = self.working.run.id.clone();
        let asking = self.working.run.of_handle(handle).filter(|(_, own)| own.is_held_by(handle)).map(|(key, _)| key.clone());
        let Some(key) = asking else { return self.held(handle).map(drop) };
        if text.trim().is_empty() {
            return Err(Problem::bad_request("text", "a question says what is asked"));
        }
        let before = self.working.run.asks.values().filter(|ask| ask.on == key).count();
        if before >= ASKS {
            self.working.block("cannot", &key.path, format!("{key} asked {before} times and asks again: {text}"));
            return Ok(());
        }
        let ask = format!("qu-{}", digits(&[&run, &key.to_string(), text, &before.to_string()], 8));
        self.write(RunEvent::Asked {
            run,
            path: key.path,
            attempt: key.attempt,
            ask,
            handle: handle.clone(),
            ask_kind: "question".to_owned(),
            text: text.to_owned(),
            choices: choices.to_vec(),
        });
        Ok(())
    }

    pub(super) fn answer(&mut self, ask: &str, text: &str) -> Result<(), Problem> {
        if !self.caller.is_person {
            return Err(
                Problem::new(Code::Forbidden, "a question is for a person").hint(Hint::text("tell your person; the step is handed out again with the answer"))
            );
        }
        let Some(asked) = self.working.run.asks.get(ask) else { return Err(Problem::new(Code::NotFound, format!("there is no question {ask}"))) };
        if asked.answer.is_some() {
            return Err(Problem::new(Code::AlreadyDecided, format!("{ask} was answered")));
        }
        let run = self.working.run.id.clone();
        self.write(RunEvent::Answered { run, ask: ask.to_owned(), text: text.to_owned() });
        Ok(())
    }
}
