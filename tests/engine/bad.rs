//! Files and messages that cannot be used: a clear text each, and a product that goes on.

use std::fs;
use std::path::PathBuf;

use gatehouse_tests::Result;

use crate::place::{Place, starter};
use crate::talk::Talk;

/// A place whose model is a file with these bytes, and that file.
fn with_model(name: &str, bytes: &[u8]) -> Result<(Place, PathBuf)> {
    let place = Place::new()?;
    let file = place.house.root().join(name);
    fs::write(&file, bytes)?;
    place.answers_with(&file)?;
    Ok((place, file))
}

/// What is said where such a file shall answer.
async fn told(name: &str, bytes: &[u8]) -> Result<String> {
    let (place, _) = with_model(name, bytes)?;
    let mut talk = Talk::begin(&place).await?;
    let words = talk.failure("Hello").await?;
    println!("{name}: {words}");
    talk.echoes().await?;
    Ok(words)
}

#[tokio::test]
async fn a_file_that_was_cut_short_is_told() -> Result {
    let bytes = fs::read(starter()?)?;
    let words = told("cut.gguf", &bytes[..bytes.len() / 2]).await?;
    assert!(words.contains("cut.gguf cannot be used. The file is damaged"), "{words}");
    assert!(words.contains("copied or downloaded to its end"), "{words}");
    Ok(())
}

#[tokio::test]
async fn a_picture_with_a_models_name_is_told() -> Result {
    let words = told("cat.gguf", &[b"\x89PNG\r\n\x1a\n".as_slice(), &[7; 5000]].concat()).await?;
    assert!(words.contains("cat.gguf cannot be used. It is no GGUF file"), "{words}");
    Ok(())
}

#[tokio::test]
async fn a_model_without_a_chat_template_is_told() -> Result {
    let mut bytes = fs::read(starter()?)?;
    let key = b"tokenizer.chat_template";
    let at = bytes.windows(key.len()).position(|window| window == key).ok_or("the starter has no template")?;
    bytes[at + key.len() - 1] = b'x';
    let words = told("base.gguf", &bytes).await?;
    assert!(words.contains("base.gguf cannot chat: it has no chat template"), "{words}");
    Ok(())
}

#[tokio::test]
async fn a_head_that_claims_what_cannot_be_is_told() -> Result {
    let mut bytes = fs::read(starter()?)?;
    // The number of tensors, of keys, and the length of the first key.
    for at in [8, 16, 24] {
        let mut hostile = bytes.clone();
        hostile[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
        hostile.truncate(1024 * 1024);
        let words = told("hostile.gguf", &hostile).await?;
        assert!(words.contains("hostile.gguf cannot be used. The file is damaged"), "{words}");
    }
    bytes[4..8].copy_from_slice(&9_u32.to_le_bytes());
    let words = told("future.gguf", &bytes[..1024 * 1024]).await?;
    assert!(words.contains("version 9"), "{words}");
    Ok(())
}

#[tokio::test]
async fn a_model_at_which_the_library_gives_up_is_told() -> Result {
    let mut bytes = fs::read(starter()?)?;
    let key = b"llama.block_count";
    let at = bytes.windows(key.len()).position(|window| window == key).ok_or("the starter counts no layers")?;
    // Behind the key stand the kind and the number. A network without layers takes no memory, so it is not too large.
    let number = at + key.len() + 4;
    bytes[number..number + 4].copy_from_slice(&0_u32.to_le_bytes());
    let words = told("flat.gguf", &bytes).await?;
    assert!(words.contains("it gave up") && words.contains("file is damaged"), "{words}");
    Ok(())
}

#[tokio::test]
async fn a_file_that_is_deleted_while_it_is_loaded_goes_on() -> Result {
    let (place, file) = with_model("gone.gguf", &fs::read(starter()?)?)?;
    let mut talk = Talk::begin(&place).await?;
    talk.answer("Say hello.").await?;
    fs::remove_file(&file)?;
    let engine = talk.engine(&place)?;
    talk.answer("Say hello again.").await?;
    assert_eq!(talk.engine(&place)?, engine);
    Ok(())
}

#[tokio::test]
async fn a_message_longer_than_the_context_is_told_and_the_next_one_is_answered() -> Result {
    let place = Place::new()?;
    let mut talk = Talk::begin(&place).await?;
    let words = talk.failure(&"many words ".repeat(9_000)).await?;
    println!("long: {words}");
    assert!(words.contains("This message has") && words.contains("at most"), "{words}");
    talk.answer("Say hello.").await?;
    Ok(())
}
