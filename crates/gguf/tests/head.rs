//! Whole, cut, renamed and hostile files.
#![expect(clippy::unwrap_used, reason = "a broken set-up should end a test at once")]

use std::fs;
use std::path::PathBuf;

use gatehouse_gguf::{Error, Model, open};
use proptest::prelude::*;

/// Writes heads, good and bad ones.
#[derive(Clone)]
struct File {
    version: u32,
    tensors: Vec<(String, Vec<u64>, u32, u64)>,
    pairs: Vec<(String, u32, Vec<u8>)>,
    data: usize,
}

impl File {
    /// A small model that can chat.
    fn chat() -> Self {
        let mut file = Self { version: 3, tensors: Vec::new(), pairs: Vec::new(), data: 0 };
        file.text("general.architecture", "llama");
        file.text("general.name", "Small");
        file.text("tokenizer.chat_template", "{{ messages }}");
        for (key, number) in [
            ("llama.context_length", 2048_u32),
            ("llama.block_count", 2),
            ("llama.embedding_length", 64),
            ("llama.attention.head_count", 4),
            ("llama.attention.head_count_kv", 2),
        ] {
            file.pairs.push((key.into(), 4, number.to_le_bytes().to_vec()));
        }
        let mut tokens = [&8_u32.to_le_bytes()[..], &3_u64.to_le_bytes()].concat();
        for token in ["a", "b", "c"] {
            tokens.extend(text(token));
        }
        file.pairs.push(("tokenizer.ggml.tokens".into(), 9, tokens));
        file.tensors = vec![("one".into(), vec![64, 2], 3, 0), ("two".into(), vec![32], 0, 96)];
        file.data = 96 + 128; // the first takes 80 bytes
        file
    }

    fn text(&mut self, key: &str, value: &str) {
        self.pairs.push((key.into(), 8, text(value)));
    }

    fn without(mut self, key: &str) -> Self {
        self.pairs.retain(|(name, ..)| name != key);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"GGUF".to_vec();
        bytes.extend(self.version.to_le_bytes());
        bytes.extend((self.tensors.len() as u64).to_le_bytes());
        bytes.extend((self.pairs.len() as u64).to_le_bytes());
        for (key, kind, value) in &self.pairs {
            bytes.extend(text(key));
            bytes.extend(kind.to_le_bytes());
            bytes.extend(value);
        }
        for (name, dimensions, kind, offset) in &self.tensors {
            bytes.extend(text(name));
            bytes.extend(u32::try_from(dimensions.len()).unwrap().to_le_bytes());
            dimensions.iter().for_each(|length| bytes.extend(length.to_le_bytes()));
            bytes.extend(kind.to_le_bytes());
            bytes.extend(offset.to_le_bytes());
        }
        bytes.resize(bytes.len().next_multiple_of(32) + self.data, 7);
        bytes
    }
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

/// A file with these bytes, and the directory that holds it.
fn lay(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.gguf");
    fs::write(&path, bytes).unwrap();
    (dir, path)
}

fn read(bytes: &[u8]) -> Result<Model, Error> {
    let (_dir, path) = lay(bytes);
    open(&path)
}

fn damaged(file: &File) -> String {
    match read(&file.bytes()) {
        Err(Error::Damaged(why)) => why,
        other => format!("not damaged: {other:?}"),
    }
}

#[test]
fn a_whole_file_says_what_it_is() {
    let file = File::chat();
    let model = read(&file.bytes()).unwrap();
    assert_eq!((model.name.as_deref(), model.architecture.as_str()), (Some("Small"), "llama"));
    assert_eq!(model.template.as_deref(), Some("{{ messages }}"));
    assert_eq!((model.context, model.vocabulary), (Some(2048), 3));
    // Two layers, two heads, keys and values of sixteen numbers, two bytes each.
    assert_eq!(model.token_bytes, Some(2 * 2 * 32 * 2));
    assert_eq!(model.bytes, file.bytes().len() as u64);
}

#[test]
fn a_model_that_only_continues_texts_has_no_template() {
    assert_eq!(read(&File::chat().without("tokenizer.chat_template").bytes()).unwrap().template, None);
    let mut blank = File::chat().without("tokenizer.chat_template");
    blank.text("tokenizer.chat_template", "  ");
    assert_eq!(read(&blank.bytes()).unwrap().template, None);
}

#[test]
fn what_is_no_model_is_named_as_such() {
    assert!(matches!(read(b""), Err(Error::NotAModel(_))));
    assert!(matches!(read(b"GGUF"), Err(Error::NotAModel(_))));
    assert!(matches!(read(&[b"%PDF-1.7".as_slice(), &[0; 99]].concat()), Err(Error::NotAModel(_))));
    assert!(matches!(open(&std::env::temp_dir()), Err(Error::NotAModel(_))));
    assert!(matches!(open("/dev/zero".as_ref()), Err(Error::NotAModel(_))));
    assert!(matches!(open("/nowhere/m.gguf".as_ref()), Err(Error::NoFile(_))));
}

#[test]
fn a_file_cut_anywhere_is_damaged() {
    let bytes = File::chat().bytes();
    for length in 24..bytes.len() {
        let cut = read(&bytes[..length]);
        assert!(matches!(cut, Err(Error::Damaged(_))), "cut at {length}: {cut:?}");
    }
    let words = read(&bytes[..bytes.len() - 1]).unwrap_err().to_string();
    assert!(words.contains("may not have been copied or downloaded to its end"), "{words}");
}

#[test]
fn other_versions_and_orders_of_bytes_are_told() {
    for version in [1, 4, 3_u32.swap_bytes()] {
        let file = File { version, ..File::chat() };
        assert!(matches!(read(&file.bytes()), Err(Error::Unsupported(_))), "{version}");
    }
    let mut file = File::chat();
    file.tensors[0].2 = 777;
    assert!(matches!(read(&file.bytes()), Err(Error::Unsupported(_))));
}

#[test]
fn claims_that_cannot_be_are_refused() {
    let mut counts = File::chat().bytes();
    counts[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(matches!(read(&counts), Err(Error::Damaged(_))));

    let mut none = File::chat();
    none.tensors.clear();
    assert!(damaged(&none).contains("no tensors"));

    let mut vast = File::chat();
    vast.tensors[0].1 = vec![1 << 62, 1 << 62];
    assert!(damaged(&vast).contains("larger than anything"));

    let mut far = File::chat();
    far.tensors[0].3 = u64::MAX - 8;
    assert!(damaged(&far).contains("larger than anything"));

    let mut uneven = File::chat();
    uneven.tensors[0].1 = vec![33];
    assert!(damaged(&uneven).contains("no whole blocks"));

    let mut flat = File::chat();
    flat.tensors[0].1 = vec![32; 5];
    assert!(damaged(&flat).contains("5 dimensions"));

    let mut twice = File::chat();
    twice.text("general.name", "Other");
    assert!(damaged(&twice).contains("twice"));

    let mut crooked = File::chat();
    crooked.pairs.push(("general.alignment".into(), 4, 3_u32.to_le_bytes().to_vec()));
    assert!(damaged(&crooked).contains("begin where none can"));
}

#[test]
fn lists_that_claim_to_be_endless_cost_nothing() {
    for kind in [0_u32, 4, 8, 9, 10, 99] {
        let mut file = File::chat();
        file.pairs.push(("x".into(), 9, [&kind.to_le_bytes()[..], &u64::MAX.to_le_bytes()].concat()));
        assert!(matches!(read(&file.bytes()), Err(Error::Damaged(_))), "{kind}");
    }
    let mut deep = File::chat();
    let step = [&9_u32.to_le_bytes()[..], &1_u64.to_le_bytes()].concat();
    deep.pairs.push(("x".into(), 9, step.repeat(10_000)));
    assert!(damaged(&deep).contains("lists stand in lists without end"));
}

#[test]
fn a_network_without_heads_tells_no_memory_and_does_not_divide_by_nothing() {
    let mut file = File::chat().without("llama.attention.head_count");
    file.pairs.push(("llama.attention.head_count".into(), 4, 0_u32.to_le_bytes().to_vec()));
    assert_eq!(read(&file.bytes()).unwrap().token_bytes, None);
}

proptest! {
    /// Single bytes changed at will: an answer or a refusal, and never more room than the file has.
    #[test]
    fn changed_bytes_break_nothing(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)) {
        let mut bytes = File::chat().bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(model) = read(&bytes) {
            prop_assert_eq!(model.bytes, bytes.len() as u64);
        }
    }

    /// Anything behind an honest beginning.
    #[test]
    fn noise_behind_the_magic_breaks_nothing(
        noise in prop::collection::vec(any::<u8>(), 0..600), tensors in 0_u64..9, keys in 0_u64..9,
    ) {
        let mut bytes = b"GGUF\x03\0\0\0".to_vec();
        bytes.extend(tensors.to_le_bytes());
        bytes.extend(keys.to_le_bytes());
        bytes.extend(noise);
        let _ = read(&bytes);
    }

    /// Lengths and counts replaced by numbers at the edges.
    #[test]
    fn numbers_at_the_edges_break_nothing(
        at in any::<prop::sample::Index>(),
        number in prop::sample::select(vec![0, 1, u64::MAX, u64::MAX - 7, i64::MAX as u64, 1 << 32, (1 << 32) - 1]),
    ) {
        let mut bytes = File::chat().bytes();
        let at = at.index(bytes.len() - 8);
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        let _ = read(&bytes);
    }
}
