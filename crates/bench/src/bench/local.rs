//! The embedded engine through the whole product, beside the same engine alone: the same questions, the same number of
//! threads, one after the other.
//!
//! The product's engine has a clerk on each side who writes down what passes. So the engine alone is asked word for word
//! what the product asked, and answers are counted in the engine's own tokens; what the clerks cost, the product pays.

mod alone; // the engine alone
mod product; // the engine through the product

use self::alone::Alone;
use self::product::{Moment, Product};
use crate::clock::ms_between;
use crate::error::Result;
use crate::figure::{Findings, median};
use crate::house::tell;

const PAIRS: usize = 5;
/// An answer of fewer tokens says nothing about their speed.
const ENOUGH: u32 = 24;
const CANCELS: usize = 5;
/// On as many threads as there surely are.
const THREADS: u32 = 1;

/// The starter model is offered no tools, and computes for one session at a time.
const NOT_MEASURED_YET: &str = "two_session_ratio, tool_parse_percent and tool_right_percent are not measured yet";

/// How fast one question was read and answered, in tokens a second.
#[derive(Debug, Clone, Copy)]
struct Speed {
    reading: f64,
    speaking: f64,
    said: u32,
}

impl Speed {
    /// Of `read` tokens that were new and `said` ones that were answered, by three moments.
    fn of(read: u32, said: u32, moments: &Moments) -> Self {
        let second = |ms: f64| ms.max(0.001) / 1000.0;
        Self {
            reading: f64::from(read) / second(ms_between(moments.asked, moments.first)),
            // The first one is there when reading is over.
            speaking: f64::from(said.saturating_sub(1)) / second(ms_between(moments.first, moments.last)),
            said,
        }
    }
}

/// When a question was asked, and when the first and the last word of its answer were there.
#[derive(Debug, Clone, Copy)]
struct Moments {
    asked: std::time::Instant,
    first: std::time::Instant,
    last: std::time::Instant,
}

pub(crate) async fn run() -> Result<Findings> {
    let mut found = Findings::of("local");
    let mut product = Product::start().await?;
    let mut alone = Alone::start(product.engine(), &product.starter())?;
    // Both load their model before anything is measured.
    product.ask("Say hello.").await?;
    alone.ask(&product.last_question().await?, ENOUGH)?;
    let (mut speaking, mut reading, mut reuse) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..3 * PAIRS {
        if speaking.len() == PAIRS {
            break;
        }
        product.new_session().await?;
        let (cold, ours) = product.ask(&question(round)).await?;
        let bare = alone.ask(&product.last_question().await?, ours.said)?;
        let (warm, _) = product.ask("Which of them was the oldest? Answer in one sentence.").await?;
        reuse.push(ms_between(warm.asked, warm.first) / ms_between(cold.asked, cold.first));
        reading.push(ours.reading / bare.reading);
        if ours.said >= ENOUGH && bare.said >= ENOUGH {
            speaking.push(ours.speaking / bare.speaking);
        }
    }
    let mut cancels = Vec::new();
    for round in 0..CANCELS {
        cancels.push(product.cancel(&question(100 + round), Moment::Reading).await?);
        cancels.push(product.cancel("Tell a long story about a boat.", Moment::Speaking).await?);
    }
    product.end()?;
    for (metric, samples) in [("gen_ratio", &speaking), ("prompt_ratio", &reading), ("prefix_reuse_ratio", &reuse)] {
        match median(samples) {
            Some(value) => found.add(metric, value, samples.len()),
            None => found.missing.push(format!("{metric}: there is no sample")),
        }
    }
    found.add_percentile("cancel_p50_ms", &cancels, 50.0);
    tell(NOT_MEASURED_YET);
    Ok(found)
}

/// Some hundred tokens that no other question begins with.
fn question(round: usize) -> String {
    let line = |boat: usize| format!("Boat {boat} of harbour {round} is made of old wood and has {boat} small sails. ");
    let boats: String = (1..40).map(line).collect();
    format!("{round}. {boats}\nDescribe these boats in three sentences.")
}
