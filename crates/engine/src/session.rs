//! What the model has read so far. A question that begins like the one before is read from where they part.

use std::num::TryFromIntError;

use llama_cpp_2::DecodeError;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::token::LlamaToken;

use crate::clock;
use crate::pace::{MOST, Pace};
use crate::refusal::Refusal;

/// The only sequence: one conversation at a time.
const SEQUENCE: i32 = 0;

/// One conversation in the model's memory.
pub(crate) struct Session<'m> {
    pub context: LlamaContext<'m>,
    batch: LlamaBatch<'static>,
    /// The tokens that the model's memory holds, in their order.
    held: Vec<LlamaToken>,
    pace: Pace,
}

/// How reading a question ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// All of it was read.
    Whole,
    /// It was taken back.
    TakenBack,
}

impl<'m> Session<'m> {
    pub fn new(context: LlamaContext<'m>) -> Self {
        Self { context, batch: LlamaBatch::new(MOST, 1), held: Vec::new(), pace: Pace::new() }
    }

    /// Whether one more token fits.
    pub fn is_full(&self) -> bool {
        self.held.len() >= self.context.n_ctx() as usize
    }

    /// Keeps what `tokens` shares with what was read before, and forgets the rest. Says how much was kept.
    pub fn keep(&mut self, tokens: &[LlamaToken]) -> usize {
        let kept = shared(&self.held, tokens);
        let from = u32::try_from(kept).ok();
        // Some kinds of networks cannot forget a part.
        if self.context.kv_cache_seq_rm(0, from, None).is_err() {
            self.forget();
            return 0;
        }
        self.held.truncate(kept);
        kept
    }

    /// Reads what is missing of `tokens`, a piece at a time.
    pub fn read(&mut self, tokens: &[LlamaToken], taken_back: impl Fn() -> bool) -> Result<Reading, Refusal> {
        while self.held.len() < tokens.len() {
            if taken_back() {
                return Ok(Reading::TakenBack);
            }
            let rest = &tokens[self.held.len()..];
            let piece = &rest[..rest.len().min(self.pace.tokens())];
            let begun = clock::now();
            self.decode(piece)?;
            self.pace.took(piece.len(), clock::now().duration_since(begun));
        }
        Ok(Reading::Whole)
    }

    /// Reads one token of the model's own.
    pub fn push(&mut self, token: LlamaToken) -> Result<(), Refusal> {
        self.decode(&[token])
    }

    fn decode(&mut self, piece: &[LlamaToken]) -> Result<(), Refusal> {
        let result = self.fill(piece).and_then(|()| {
            let decoded = self.context.decode(&mut self.batch);
            decoded.map_err(|error| match error {
                DecodeError::NoKvCacheSlot => Refusal::too_long(self.held.len() + piece.len(), self.context.n_ctx()),
                DecodeError::NTokensZero | DecodeError::Unknown(_) => Refusal::computing(&error.to_string()),
            })
        });
        match result {
            Ok(()) => self.held.extend_from_slice(piece),
            // What the memory holds now is not known.
            Err(_) => self.forget(),
        }
        result
    }

    /// Only the last token's scores are asked for.
    fn fill(&mut self, piece: &[LlamaToken]) -> Result<(), Refusal> {
        self.batch.clear();
        for (index, token) in piece.iter().enumerate() {
            let at: Result<i32, TryFromIntError> = (self.held.len() + index).try_into();
            let at = at.map_err(|error| Refusal::computing(&error.to_string()))?;
            let last = index + 1 == piece.len();
            let added = self.batch.add(*token, at, &[SEQUENCE], last);
            added.map_err(|error| Refusal::computing(&error.to_string()))?;
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.context.clear_kv_cache();
        self.held.clear();
    }
}

/// How many tokens two conversations have in common, but for the last one: only what is read gives scores.
fn shared(held: &[LlamaToken], tokens: &[LlamaToken]) -> usize {
    let common = held.iter().zip(tokens).take_while(|(held, token)| held == token).count();
    common.min(tokens.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(ids: &[i32]) -> Vec<LlamaToken> {
        ids.iter().copied().map(LlamaToken).collect()
    }

    #[test]
    fn the_last_token_is_always_read_again() {
        assert_eq!(shared(&tokens(&[1, 2, 3]), &tokens(&[1, 2, 3])), 2);
        assert_eq!(shared(&tokens(&[1, 2, 3]), &tokens(&[1, 2, 3, 4])), 3);
        assert_eq!(shared(&tokens(&[1, 2, 3]), &tokens(&[1, 9, 3, 4])), 1);
        assert_eq!(shared(&[], &tokens(&[1])), 0);
        assert_eq!(shared(&tokens(&[1]), &[]), 0);
    }
}
