//! Words in ids, titles, specs, threads and commit subjects.

use super::{CardRow, Read, cursor_of, cursor_values};
use crate::error::StoreError;
use crate::sql::task_id;
use contracts::limits;
use sqlx::Row;

/// A task in which all words were found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The task.
    pub row: CardRow,
    /// Where: `id`, `title`, `spec`, `thread`, `commits`.
    pub matched: &'static str,
    /// The words around, when not id or title.
    pub excerpt: String,
}

/// Every word as a prefix, quoted so that none is an operator.
fn words(query: &str) -> Vec<String> {
    let words = query.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    words.map(|word| format!("\"{}\"*", word.replace('"', "\"\""))).collect()
}

impl Read {
    /// A page of hits, the best first; how many tasks match; where to go on. A task, each comment and each commit is a row of the index: the
    /// words may stand in different ones of a task, and the row that says most of them shows where.
    pub async fn search(&mut self, query: &str, cursor: Option<&str>) -> Result<(Vec<Hit>, i64, Option<String>), StoreError> {
        let words = words(query);
        if words.is_empty() {
            return Ok((Vec::new(), 0, None));
        }
        let offset = match cursor_values(cursor, 1)? {
            Some(values) => values[0].parse::<u32>().map_err(|_| StoreError::Cursor)?.into(),
            None => 0_i64,
        };
        let page = i64::try_from(limits::SEARCH_HITS_MAX).unwrap_or(i64::MAX);
        let any = words.join(" OR ");
        let each = (4..4 + words.len()).map(|word| format!("select subject from search where search match ?{word}")).collect::<Vec<_>>().join(" intersect ");
        let sql = format!(
            "with hits as materialized (select rowid as number, subject, bm25(search, 0, 0, 20, 10, 2, 1, 1) as score from search where search match ?1 \
                and subject in ({each})) \
             select subject, number, min(score), count(*) over () from hits group by subject order by min(score), subject limit ?2 offset ?3"
        );
        let asked = sqlx::query(&sql).bind(&any).bind(page).bind(offset);
        let found = words.iter().fold(asked, |asked, word| asked.bind(word)).fetch_all(&mut *self.conn).await?;
        let total: i64 = found.first().map_or(0, |row| row.get(3));
        let mut hits = Vec::with_capacity(found.len());
        for row in &found {
            let ids = [task_id(row.get(0))?];
            let Some(card) = self.card_rows(&ids).await?.pop() else { continue };
            let (matched, excerpt) = self.place_of(&any, row.get(1)).await?;
            hits.push(Hit { row: card, matched, excerpt });
        }
        let next = (offset + page < total).then(|| cursor_of(&[&(offset + page).to_string()]));
        Ok((hits, total, next))
    }

    async fn place_of(&mut self, expression: &str, number: i64) -> Result<(&'static str, String), StoreError> {
        const PLACES: [&str; 5] = ["id", "title", "spec", "thread", "commits"];
        let sql = "select highlight(search, 2, char(1), ''), highlight(search, 3, char(1), ''), snippet(search, 4, char(1), '', '…', 16), \
                   snippet(search, 5, char(1), '', '…', 16), snippet(search, 6, char(1), '', '…', 16) from search where search match ?1 and rowid = ?2";
        let row = sqlx::query(sql).bind(expression).bind(number).fetch_one(&mut *self.conn).await?;
        for (at, place) in PLACES.into_iter().enumerate() {
            let text: String = row.get::<Option<String>, _>(at).unwrap_or_default();
            if text.contains('\u{1}') {
                let excerpt = if at < 2 { String::new() } else { text.replace('\u{1}', "") };
                return Ok((place, excerpt));
            }
        }
        Ok(("title", String::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_never_operators() {
        assert_eq!(words("fix tk-4f2a"), ["\"fix\"*", "\"tk-4f2a\"*"]);
        assert_eq!(words("a OR \"b"), ["\"a\"*", "\"OR\"*", "\"\"\"b\"*"]);
        assert!(words("  * \" - ").is_empty());
    }
}
