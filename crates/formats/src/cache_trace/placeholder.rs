//! Texts that stand for those that a trace does not have.

/// Tokens of all placeholders of a log; the rest of a hostile one has no texts.
const MOST_TOKENS: u64 = 1 << 25;
/// A word that every tokenizer here counts as one token, with the space before it.
const FILLER: &str = " x";
/// Letters that number a block: each is one token with the space before it.
const LETTERS: &[u8; 16] = b"abcdefghijklmnop";

/// Makes texts of a size in tokens, different for different blocks.
#[derive(Default)]
pub(super) struct PlaceholderTexts {
    n_made: u64,
}

impl PlaceholderTexts {
    pub(super) fn blocks_text(&mut self, hashes: &[u64], block_size: u64) -> String {
        let mut text = String::new();
        for hash in hashes {
            self.push(&mut text, *hash, block_size);
        }
        text
    }

    pub(super) fn reply_text(&mut self, number: u64, n_tokens: u64) -> String {
        let mut text = String::new();
        self.push(&mut text, number, n_tokens);
        text
    }

    fn push(&mut self, text: &mut String, number: u64, n_tokens: u64) {
        self.n_made = self.n_made.saturating_add(n_tokens);
        if self.n_made > MOST_TOKENS {
            return;
        }
        let mut left = n_tokens;
        let mut rest = number;
        while left > 0 && rest > 0 {
            // 4 bits are an index below 16.
            let letter = LETTERS.get((rest & 15) as usize).copied().unwrap_or(b'a');
            text.push(' ');
            text.push(char::from(letter));
            rest >>= 4;
            left -= 1;
        }
        text.push_str(&FILLER.repeat(usize::try_from(left).unwrap_or(0)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_a_word_for_each_token_and_differs_by_block() {
        let mut texts = PlaceholderTexts::default();
        assert_eq!(texts.blocks_text(&[1, 0x23], 4), " b x x x d c x x");
        assert_eq!(texts.blocks_text(&[0xfff], 2), " p p");
        assert_eq!(texts.reply_text(7, 0), "");
        assert_eq!(texts.reply_text(7, 3), " h x x");
    }

    #[test]
    fn all_texts_together_are_bounded() {
        let mut texts = PlaceholderTexts::default();
        assert_eq!(texts.reply_text(1, u64::MAX), "");
        assert_eq!(texts.reply_text(1, 5), "", "nothing comes after the bound");
    }
}
