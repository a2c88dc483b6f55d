//! Answers and batches in every order: whatever comes last, what is shown is what is so.

use super::*;
use crate::look::Look;
use crate::order::tests::card;
use contracts::view::{ColumnView, Counts, Snapshot};
use contracts::{Column, Moment};
use serde_json::json;

/// A page in memory: nothing of it needs a browser.
pub(in crate::store) struct Page {
    pub store: Store,
    _owner: Owner,
}

/// A column as an answer has it.
fn column(key: Column, cards: Vec<TaskCard>) -> ColumnView {
    ColumnView { key, total: i64::try_from(cards.len()).unwrap(), hidden: 0, cards, next: None }
}

/// The board at a position, with these cards.
pub(in crate::store) fn board(seq: i64, cards: &[TaskCard]) -> BoardView {
    let lies = |key: Column| cards.iter().filter(|card| card.column == key).cloned().collect();
    BoardView { seq, columns: order::COLUMNS.map(|key| column(key, lies(key))).to_vec(), counts: Counts::default(), edges: Vec::new() }
}

fn snapshot(board: BoardView) -> Snapshot {
    serde_json::from_value(json!({
        "seq": board.seq, "epoch": "e1", "now": Moment(0), "version": "v1",
        "project": {"name": "Brindle", "slug": "brindle", "zone": "UTC", "offset_minutes": 0},
        "me": {"actor": "dev:ana", "principal": "local:ana", "may_write": true},
        "board": board, "milestones": [], "actors": [], "conflicts": [],
    }))
    .unwrap()
}

impl Page {
    pub fn new(q: &str, board: BoardView) -> Page {
        let owner = Owner::new();
        let store = owner.with(|| Store::new(snapshot(board), Look { q: q.to_owned(), ..Look::default() }, None));
        Page { store, _owner: owner }
    }

    /// A batch of the line, read at this position.
    fn line(&self, seq: i64, cards: &[TaskCard]) -> Vec<Placed> {
        let (age, _) = self.store.heard(&Batch { seq, ..Batch::default() });
        cards.iter().map(|card| self.store.place(card.clone(), age)).collect()
    }

    fn answer(&self, board: BoardView, asked: Asked) -> bool {
        self.store.fill_board(board, asked, |place, ids| self.store.columns[place].ids.set(ids))
    }

    /// Where each card is shown: its id's last figure, by column; and the totals.
    fn shown(&self) -> (String, Vec<i64>) {
        let ids = |column: &super::super::ColumnStore| column.ids.with_untracked(|ids| ids.iter().map(|id| id.as_str()[8..].to_owned()).collect::<String>());
        let columns: Vec<String> = self.store.columns.iter().map(ids).collect();
        (columns.join("|"), self.store.columns.iter().map(|column| column.total.get_untracked()).collect())
    }
}

fn lying(id: &str, column: Column) -> TaskCard {
    TaskCard { column, ..card(id) }
}

fn one(column: Column) -> TaskCard {
    lying("tk-000001", column)
}

fn two() -> TaskCard {
    lying("tk-000002", Column::Ready)
}

/// What happens to a page while a question of its is on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// The line brings the batch at this position.
    Line(i64),
    /// The answer comes that was read at this position.
    Answer(i64),
}

/// All orders in which the batches come in theirs and the answer anywhere.
fn orders(read: i64) -> Vec<Vec<Step>> {
    (0..=3)
        .map(|at| {
            let mut steps: Vec<Step> = (101..=103).map(Step::Line).collect();
            steps.insert(at, Step::Answer(read));
            steps
        })
        .collect()
}

#[test]
fn whatever_comes_first_the_card_ends_where_it_is() {
    // The first card: working at 101, done at 102; the second is left alone; a third comes at 103.
    let at = |seq: i64| {
        let first = one(match seq {
            100 => Column::Ready,
            101 => Column::Working,
            _ => Column::Done,
        });
        let mut cards = vec![first, two()];
        cards.extend((seq >= 103).then(|| lying("tk-000003", Column::Ready)));
        cards
    };
    for q in ["", "type = task"] {
        for read in 100..=103 {
            for steps in orders(read) {
                let page = Page::new(q, board(100, &at(100)));
                let asked = page.store.asking();
                for step in &steps {
                    match *step {
                        Step::Line(103) => drop(page.line(103, &at(103)[2..])),
                        Step::Line(seq) => drop(page.line(seq, &at(seq)[..1])),
                        Step::Answer(seq) => drop(page.answer(board(seq, &at(seq)), asked)),
                    }
                    let first = page.store.card(&one(Column::Ready).id).unwrap().card.get_untracked().column;
                    let column = page.store.column_of(&one(Column::Ready).id).unwrap();
                    assert_eq!(order::place(first), column, "it is shown where it lies: {q:?} {steps:?} at {step:?}");
                }
                assert_eq!(page.shown(), ("|23|||1".to_owned(), vec![0, 2, 0, 0, 1]), "{q:?} {steps:?}");
            }
        }
    }
}

#[test]
fn at_one_position_the_line_stands_against_what_was_asked_for_before_it() {
    let page = Page::new("", board(100, &[one(Column::Working)]));
    let asked = page.store.asking();
    let late = TaskCard { title: "Stalled".into(), ..one(Column::NeedsYou) };
    page.line(100, std::slice::from_ref(&late)); // its lease lapsed: no event, no step of the log
    page.answer(board(100, &[one(Column::Working)]), asked);
    assert_eq!(page.shown().0, "|||1|");
    // Asked after that, the same position is news: the lease was renewed.
    let asked = page.store.asking();
    page.answer(board(100, &[one(Column::Working)]), asked);
    assert_eq!(page.shown().0, "||1||");
}

#[test]
fn of_two_answers_the_one_read_later_stays() {
    let page = Page::new("", board(100, &[one(Column::Ready)]));
    let (first, second) = (page.store.asking(), page.store.asking());
    page.answer(board(102, &[one(Column::Done)]), second);
    page.answer(board(101, &[one(Column::Working)]), first);
    assert_eq!(page.shown(), ("||||1".to_owned(), vec![0, 0, 0, 0, 1]));
    page.line(101, &[one(Column::Working)]);
    assert_eq!(page.shown().0, "||||1", "a batch that was overtaken changes nothing either");
}

#[test]
fn what_the_reader_did_is_not_undone_by_an_answer_from_before() {
    let page = Page::new("", board(100, &[one(Column::Ready)]));
    let asked = page.store.asking();
    page.store.place(one(Column::Done), page.store.acting(&one(Column::Done).id));
    page.answer(board(100, &[one(Column::Ready)]), asked);
    assert_eq!(page.shown().0, "||||1");
    page.line(101, &[one(Column::Working)]);
    assert_eq!(page.shown().0, "||1||", "the board has the last word");
}

#[test]
fn another_database_begins_at_its_own_position() {
    let page = Page::new("", board(100, &[one(Column::Done)]));
    let asked = page.store.asking();
    page.store.fill(snapshot(board(3, &[one(Column::Ready)])), asked, true);
    assert_eq!(page.shown().0, "|1|||");
    page.answer(board(100, &[one(Column::Done)]), asked);
    assert_eq!(page.shown().0, "|1|||", "what was asked of the other one is of no use");
    page.line(4, &[one(Column::Working)]);
    assert_eq!(page.shown().0, "||1||");
}

#[test]
fn a_later_part_of_a_column_brings_no_card_back() {
    let first =
        BoardView { columns: vec![ColumnView { total: 3, next: Some("c1".into()), ..column(Column::Ready, vec![one(Column::Ready)]) }], ..board(100, &[]) };
    let page = Page::new("", first);
    let asked = page.store.asking();
    page.line(101, &[lying("tk-000003", Column::Done)]);
    let rest = vec![two(), lying("tk-000003", Column::Ready)];
    let more = |cursor: &str| page.store.fill_more(BoardView { columns: vec![column(Column::Ready, rest.clone())], ..board(100, &[]) }, asked, cursor);
    more("another cursor");
    assert_eq!(page.shown().0, "|1|||3", "the column was filled anew since");
    more("c1");
    assert_eq!(page.shown().0, "|12|||3");
}

#[test]
fn totals_under_a_filter_count_what_is_not_loaded() {
    let more = ColumnView { total: 150, next: Some("c1".into()), ..column(Column::Ready, vec![one(Column::Ready)]) };
    let page = Page::new("type = task", BoardView { columns: vec![more, column(Column::Done, Vec::new())], ..board(100, &[]) });
    let unseen = lying("tk-000120", Column::Ready);
    let comment = page.line(101, std::slice::from_ref(&unseen));
    assert!(comment[0].uncounted, "it may have been counted already: the server is asked");
    assert_eq!(page.store.total(Column::Ready), 150);
    // Now it is known, and what happens to it is counted, shown or not.
    let closed = page.line(102, &[TaskCard { column: Column::Done, ..unseen.clone() }]);
    assert_eq!((closed[0].uncounted, page.store.total(Column::Ready), page.store.total(Column::Done)), (false, 149, 1));
    page.line(103, &[TaskCard { column: Column::Done, ..unseen.clone() }]);
    assert_eq!((page.store.total(Column::Ready), page.store.total(Column::Done)), (149, 1), "once");
    page.line(104, &[TaskCard { kind: "bug".into(), column: Column::Done, ..unseen }]);
    assert_eq!(page.store.total(Column::Done), 0, "what ceases to fit is counted no more");
    // Where all is loaded, a card that was never seen is new.
    let page = Page::new("type = task", board(100, &[one(Column::Ready)]));
    assert!(!page.line(101, &[two()])[0].uncounted);
    assert_eq!(page.store.total(Column::Ready), 2);
}

fn task(seq: i64, title: &str, thread: &[i64]) -> TaskView {
    let entry = |seq: &i64| json!({"event": format!("{seq:032x}"), "seq": seq, "kind": "task.commented", "subject": "tk-000001", "actor": "dev:mei", "at": Moment(*seq), "words": "", "text": "hm"});
    let mut view = serde_json::to_value(TaskCard { title: title.to_owned(), ..one(Column::Ready) }).unwrap();
    view["allowed"] = json!([]);
    view["created_by"] = json!("dev:ana");
    view["seq"] = json!(seq);
    view["thread"] = thread.iter().map(entry).collect();
    serde_json::from_value(view).unwrap()
}

#[test]
fn an_open_card_never_goes_back_and_keeps_what_was_said_meanwhile() {
    let page = Page::new("", board(100, &[one(Column::Ready)]));
    let seqs = || page.store.thread.with_untracked(|thread| thread.iter().map(|entry| entry.seq).collect::<Vec<_>>());
    let title = || page.store.open.with_untracked(|open| open.as_ref().unwrap().card.title.clone());
    let asked = page.store.asking();
    page.store.show(task(100, "Old", &[90, 95]), asked);
    page.line(103, &[TaskCard { title: "New".into(), ..one(Column::Ready) }]);
    page.store.thread.update(|thread| thread.push(task(103, "", &[103]).thread.remove(0)));
    page.store.show(task(101, "Old", &[90, 95, 101]), asked);
    assert_eq!((title(), seqs()), ("New".to_owned(), vec![90, 95, 101, 103]));
    page.store.show(task(103, "New", &[95, 101, 103]), page.store.asking());
    assert_eq!(seqs(), [90, 95, 101, 103], "the older page stays");
    page.store.show(task(102, "Older", &[95, 101]), asked);
    assert_eq!((title(), seqs()), ("New".to_owned(), vec![90, 95, 101, 103]));
}
