//! The words of a title, as they are compared: split, in small letters, without the commonest ones, without their plural.

use unicode_normalization::UnicodeNormalization;

/// Words that say nothing about a task.
const STOP: [&str; 35] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "from", "has", "have", "if", "in", "into", "is", "it", "its", "of", "on", "or", "that",
    "the", "this", "to", "was", "were", "will", "with", "we", "you", "your", "our", "i",
];

/// The words of a text, in order.
pub fn tokens(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut last_small = false;
    for character in text.nfkc() {
        let breaks = !character.is_alphanumeric() || (last_small && character.is_uppercase());
        if breaks {
            push(&mut words, &word);
            word.clear();
        }
        if character.is_alphanumeric() {
            word.push(character);
        }
        last_small = character.is_lowercase();
    }
    push(&mut words, &word);
    words
}

fn push(words: &mut Vec<String>, word: &str) {
    let word = word.to_lowercase();
    let letters: Vec<char> = word.chars().collect();
    if letters.iter().any(|letter| u32::from(*letter) >= 0x250) {
        // Scripts without spaces or with other plurals: pairs of characters.
        match letters.len() {
            1 => words.push(word),
            _ => words.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>())),
        }
        return;
    }
    if letters.len() > 1 && !STOP.contains(&word.as_str()) {
        words.push(singular(&word));
    }
}

/// The first rule that holds takes the plural away.
fn singular(word: &str) -> String {
    let long = word.chars().count();
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    if long > 4 && word.ends_with("ies") && !ends(&["eies", "aies"]) {
        return format!("{}y", &word[..word.len() - 3]);
    }
    if long > 3 && word.ends_with("es") && !ends(&["aes", "ees", "oes"]) {
        return word[..word.len() - 1].to_owned();
    }
    if long > 3 && word.ends_with('s') && !ends(&["us", "ss"]) {
        return word[..word.len() - 1].to_owned();
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_becomes_its_telling_words() {
        let words = |text: &str| tokens(text).join(" ");
        assert_eq!(words("Export times out on large boards"), "export time out large board");
        assert_eq!(words("gpuBox: retries, queries & the CLI's status"), "gpu box retry query cli status");
        assert_eq!(words("I am a bus"), "am bus");
        assert_eq!(words("Ｆｕｌｌ ﬁles"), "full file");
        assert_eq!(words("導出エラー"), "導出 出エ エラ ラー");
    }
}
