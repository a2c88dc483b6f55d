//! Carries out what [`Link`] decides: the sockets, the timers and the listeners of a browser.

use super::{Effect, Input, Link, Transport};
use crate::browser;
use crate::store::Store;
use contracts::Frame;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{EventSource, MessageEvent, WebSocket};

/// Names of the frames, which server-sent events carry as event names.
const FRAMES: [&str; 5] = ["hello", "batch", "lagged", "beat", "narration"];

enum Opened {
    Nothing,
    Socket(WebSocket),
    Events(EventSource),
}

struct Driver {
    link: Link,
    store: Store,
    opened: Opened,
    /// Closures of what is open now; those of earlier lines are dropped with them.
    closures: Vec<Closure<dyn FnMut(web_sys::Event)>>,
    generation: u32,
}

/// A handle to the running line.
#[derive(Clone)]
pub struct Line(Rc<RefCell<Driver>>);

/// Opens the line of a page and keeps it open.
pub fn start(store: Store) {
    let link = Link::new(store.seq.get_untracked(), &store.epoch.get_untracked(), &store.version.get_untracked());
    let line = Line(Rc::new(RefCell::new(Driver { link, store, opened: Opened::Nothing, closures: Vec::new(), generation: 0 })));
    line.step(Input::Start);
    let ticking = line.clone();
    set_interval(move || ticking.step(Input::Tick), Duration::from_secs(1));
    for event in ["online", "focus"] {
        let waking = line.clone();
        browser::listen_window(event, move |_| waking.step(Input::Wake));
    }
    let waking = line.clone();
    browser::listen_document("visibilitychange", move |_| {
        if browser::visible() {
            waking.step(Input::Wake);
        }
    });
    leptos::prelude::Effect::watch(move || store.try_now.get(), move |_, _, _| line.step(Input::Wake), false);
}

impl Line {
    fn step(&self, input: Input) {
        let (effects, status) = {
            let Ok(mut driver) = self.0.try_borrow_mut() else { return };
            let now = browser::now_ms();
            let effects = driver.link.step(input, now, js_sys::Math::random());
            (effects, driver.link.status(now))
        };
        let store = self.0.borrow().store;
        store.set_status(status);
        for effect in effects {
            self.carry_out(effect, store);
        }
    }

    fn carry_out(&self, effect: Effect, store: Store) {
        match effect {
            Effect::Open(transport) => self.open(transport),
            Effect::Close => self.0.borrow_mut().close(),
            Effect::Apply(batch) => store.apply(*batch),
            Effect::Narrated(news) => store.told.update(|told| told.hear(&news)),
            Effect::Clock(now) => store.set_clock(now),
            Effect::OtherVersion => store.other_version.set(true),
            Effect::Snapshot { turn } => {
                let line = self.clone();
                spawn_local(async move {
                    let read = store.read_all().await;
                    if !line.0.borrow().link.waits_for(turn) {
                        return;
                    }
                    let input = match read {
                        Ok(read) => {
                            let (seq, epoch) = store.begin_anew(read);
                            Input::Snapshot { seq, epoch }
                        }
                        Err(_) => Input::NoSnapshot,
                    };
                    line.step(input);
                });
            }
        }
    }

    fn open(&self, transport: Transport) {
        let mut driver = self.0.borrow_mut();
        driver.close();
        let generation = driver.generation;
        let (since, epoch) = (driver.link.since, driver.link.epoch.clone());
        let base = crate::Base(browser::base());
        let watched = driver.store.watched.get_untracked().map(|label| format!("&report={}", crate::words::encoded(&label))).unwrap_or_default();
        let query = format!("?since={since}&epoch={epoch}{watched}");
        let opened = match transport {
            Transport::Socket => self.socket(&browser::socket_address(&base.path(&format!("/live{query}"))), generation, &mut driver),
            Transport::Events => self.events(&base.path(&format!("/live/sse{query}")), generation, &mut driver),
        };
        drop(driver);
        if opened.is_none() {
            let line = self.clone();
            set_timeout(move || line.step(Input::Closed), Duration::from_millis(0));
        }
    }

    fn socket(&self, address: &str, generation: u32, driver: &mut Driver) -> Option<()> {
        let socket = WebSocket::new(address).ok()?;
        let heard = self.hearing(generation);
        let closed = self.closing(generation);
        socket.set_onmessage(Some(heard.as_ref().unchecked_ref()));
        socket.set_onclose(Some(closed.as_ref().unchecked_ref()));
        driver.closures = vec![heard, closed];
        driver.opened = Opened::Socket(socket);
        Some(())
    }

    fn events(&self, address: &str, generation: u32, driver: &mut Driver) -> Option<()> {
        let source = EventSource::new(address).ok()?;
        let heard = self.hearing(generation);
        let closed = self.closing(generation);
        for name in FRAMES {
            source.add_event_listener_with_callback(name, heard.as_ref().unchecked_ref()).ok()?;
        }
        source.set_onmessage(Some(heard.as_ref().unchecked_ref()));
        source.set_onerror(Some(closed.as_ref().unchecked_ref()));
        driver.closures = vec![heard, closed];
        driver.opened = Opened::Events(source);
        Some(())
    }

    fn hearing(&self, generation: u32) -> Closure<dyn FnMut(web_sys::Event)> {
        let line = self.clone();
        Closure::new(move |event: web_sys::Event| {
            let text = event.dyn_into::<MessageEvent>().ok().and_then(|message| message.data().as_string());
            let frame = text.and_then(|text| serde_json::from_str::<Frame>(&text).ok());
            if let (Some(frame), true) = (frame, line.is_current(generation)) {
                line.later(Input::Frame(Box::new(frame)), generation);
            }
        })
    }

    fn closing(&self, generation: u32) -> Closure<dyn FnMut(web_sys::Event)> {
        let line = self.clone();
        Closure::new(move |_| {
            if line.is_current(generation) {
                line.later(Input::Closed, generation);
            }
        })
    }

    /// Steps after the callback has returned: a step may drop the very closure that is running.
    fn later(&self, input: Input, generation: u32) {
        let line = self.clone();
        spawn_local(async move {
            if line.is_current(generation) {
                line.step(input);
            }
        });
    }

    fn is_current(&self, generation: u32) -> bool {
        self.0.try_borrow().is_ok_and(|driver| driver.generation == generation)
    }
}

impl Driver {
    fn close(&mut self) {
        self.generation += 1;
        match std::mem::replace(&mut self.opened, Opened::Nothing) {
            Opened::Nothing => {}
            Opened::Socket(socket) => {
                socket.set_onmessage(None);
                socket.set_onclose(None);
                let _ = socket.close();
            }
            Opened::Events(source) => {
                source.set_onmessage(None);
                source.set_onerror(None);
                source.close();
            }
        }
        self.closures.clear();
    }
}
