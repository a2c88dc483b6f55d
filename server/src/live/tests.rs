//! A line without a socket: channels stand for the wire, a broadcast for the publisher.

use super::*;
use contracts::Batch;
use futures::channel::mpsc;
use std::sync::atomic::{AtomicI64, Ordering};

struct FakeFeed {
    sender: broadcast::Sender<(i64, Arc<str>)>,
    missed: Vec<(i64, Arc<str>)>,
    published: AtomicI64,
}

impl Feed for FakeFeed {
    fn resume(&self, since: i64, epoch: String) -> Answer<'_, Resumed> {
        let resumed = epoch == "e1" && since >= 0;
        let hello = Frame::Hello { seq: since.max(0), epoch: "e1".into(), version: "v".into(), now: Moment(0), resumed };
        let missed = if resumed { self.missed.clone() } else { Vec::new() };
        let hearing = hearing(missed, self.sender.subscribe(), |(seq, text)| Heard::Batch(*seq, text.clone()));
        Box::pin(async move { Ok(Resumed { hello, hearing }) })
    }
    fn published(&self) -> i64 {
        self.published.load(Ordering::Relaxed)
    }
}

struct World {
    feed: Arc<FakeFeed>,
    live: Arc<Live>,
    shutdown: watch::Sender<bool>,
}

fn text(seq: i64) -> (i64, Arc<str>) {
    (seq, serde_json::to_string(&Frame::Batch(Batch { seq, ..Batch::default() })).unwrap().into())
}

fn world(beat_ms: u64, life_ms: u64, places: u32) -> World {
    let feed = Arc::new(FakeFeed { sender: broadcast::channel(4).0, missed: vec![text(6), text(7)], published: AtomicI64::new(9) });
    let (shutdown, ended) = watch::channel(false);
    let live = Live::new(feed.clone(), Arc::new(|| Moment(5)), ended).with(Duration::from_millis(beat_ms), Duration::from_millis(life_ms), places);
    World { feed, live: Arc::new(live), shutdown }
}

/// A socket as two channels.
struct Wire {
    to_client: mpsc::Sender<Message>,
    from_client: mpsc::UnboundedReceiver<Result<Message, Infallible>>,
}

impl Stream for Wire {
    type Item = Result<Message, Infallible>;
    fn poll_next(mut self: Pin<&mut Self>, context: &mut std::task::Context<'_>) -> std::task::Poll<Option<Self::Item>> {
        self.from_client.poll_next_unpin(context)
    }
}

impl Sink<Message> for Wire {
    type Error = mpsc::SendError;
    fn poll_ready(mut self: Pin<&mut Self>, context: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
        Pin::new(&mut self.to_client).poll_ready(context)
    }
    fn start_send(mut self: Pin<&mut Self>, item: Message) -> Result<(), Self::Error> {
        Pin::new(&mut self.to_client).start_send(item)
    }
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
        Pin::new(&mut self.to_client).poll_flush(context)
    }
    fn poll_close(mut self: Pin<&mut Self>, context: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
        Pin::new(&mut self.to_client).poll_close(context)
    }
}

struct Client {
    says: mpsc::UnboundedSender<Result<Message, Infallible>>,
    hears: mpsc::Receiver<Message>,
}

async fn connect(world: &World, since: i64, room: usize) -> Client {
    connect_while(world, since, room, None).await
}

async fn connect_while(world: &World, since: i64, room: usize, lasting: Option<Lasting>) -> Client {
    let line = world.live.begin((since, "e1".into()), None, lasting).await.unwrap();
    let (says, from_client) = mpsc::unbounded();
    let (to_client, hears) = mpsc::channel(room);
    tokio::spawn(talk(Wire { to_client, from_client }, line));
    Client { says, hears }
}

impl Client {
    /// The next message in short: a frame's kind and position, or a close code.
    async fn next(&mut self) -> String {
        match timeout(Duration::from_secs(5), self.hears.next()).await.unwrap() {
            None => "gone".into(),
            Some(Message::Close(Some(frame))) => format!("close {}", frame.code),
            Some(Message::Text(text)) => {
                let frame: serde_json::Value = serde_json::from_str(&text).unwrap();
                format!("{} {}", frame["t"].as_str().unwrap(), frame["seq"])
            }
            Some(other) => format!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn it_begins_with_hello_then_what_was_missed_then_what_comes() {
    let world = world(60_000, 60_000, 9);
    let mut client = connect(&world, 5, 9).await;
    assert_eq!([client.next().await, client.next().await, client.next().await], ["hello 5", "batch 6", "batch 7"]);
    world.feed.sender.send(text(8)).unwrap();
    assert_eq!(client.next().await, "batch 8");
    client.says.unbounded_send(Ok(Message::Text("nonsense".into()))).unwrap();
    world.feed.sender.send(text(9)).unwrap();
    assert_eq!(client.next().await, "batch 9");
}

#[tokio::test]
async fn it_beats_and_ends_with_its_day() {
    let world = world(20, 110, 9);
    let mut client = connect(&world, -1, 99).await;
    assert_eq!([client.next().await, client.next().await], ["hello 0", "beat 9"]);
    while client.next().await != "close 1001" {}
    assert_eq!(client.next().await, "gone");
}

#[tokio::test]
async fn it_ends_with_what_let_it_in_and_not_with_a_store_that_does_not_answer() {
    let world = world(20, 60_000, 9);
    let asked = Arc::new(AtomicI64::new(0));
    let count = asked.clone();
    let lasting = Lasting::new(move || {
        let answer = match count.fetch_add(1, Ordering::Relaxed) {
            0 => Ok(true),
            1 => Err(Problem::new(Code::Busy, "not now")),
            _ => Ok(false),
        };
        Box::pin(async { answer })
    });
    let mut client = connect_while(&world, -1, 99, Some(lasting)).await;
    let heard = [client.next().await, client.next().await, client.next().await, client.next().await, client.next().await];
    assert_eq!(heard, ["hello 0", "beat 9", "beat 9", "close 4401", "gone"]);
}

#[tokio::test]
async fn who_falls_behind_is_told_and_hears_no_more() {
    let world = world(60_000, 60_000, 9);
    let mut client = connect(&world, -1, 0).await;
    tokio::time::sleep(Duration::from_millis(50)).await; // hello waits on the wire
    for seq in 1..20 {
        world.feed.sender.send(text(seq)).unwrap();
        tokio::task::yield_now().await;
    }
    let mut heard = Vec::new();
    while heard.last().is_none_or(|last: &String| last != "gone") {
        heard.push(client.next().await);
    }
    let tail = &heard[heard.len() - 3..];
    assert!(tail[0].starts_with("lagged") && tail[1] == "close 1013", "{heard:?}");
    let position = |words: &str| words.rsplit(' ').next().unwrap().parse::<i64>().unwrap();
    assert_eq!(position(&tail[0]), heard[..heard.len() - 3].iter().map(|words| position(words)).max().unwrap());
}

#[tokio::test]
async fn the_servers_end_is_told() {
    let world = world(60_000, 60_000, 9);
    let mut client = connect(&world, -1, 9).await;
    assert_eq!(client.next().await, "hello 0");
    world.shutdown.send(true).unwrap();
    assert_eq!([client.next().await, client.next().await], ["close 1001", "gone"]);
    world.live.ended().await;
    assert_eq!(world.live.places.available_permits(), 9);
}

#[tokio::test]
async fn a_place_is_free_again_as_soon_as_its_line_ends() {
    let world = world(60_000, 60_000, 1);
    let client = connect(&world, -1, 9).await;
    assert_eq!(world.live.begin((-1, String::new()), None, None).await.err().map(|problem| problem.code), Some(Code::Busy));
    drop(client);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(world.live.begin((-1, String::new()), None, None).await.is_ok());
}

#[test]
fn a_browser_reopens_where_it_was() {
    let mut headers = HeaderMap::new();
    assert_eq!(last_event(&headers), None);
    headers.insert("last-event-id", "a1b2c3d4-57".parse().unwrap());
    assert_eq!(last_event(&headers), Some((57, "a1b2c3d4".to_owned())));
}
