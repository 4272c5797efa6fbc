//! What `all` holds figures against.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::{Doing, Result};
use crate::figure::Figure;
use crate::program::checkout;

/// By bench, then by metric.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Budgets(BTreeMap<String, BTreeMap<String, Budget>>);

/// The most that a figure may be: a number, or a number relative to its twin of the same run. Or the least.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Budget {
    #[serde(default)]
    max: f64,
    /// The least that it may be; there is no most then.
    #[serde(default)]
    min: Option<f64>,
    /// The twin's metric.
    #[serde(default)]
    over: Option<String>,
    /// How many times the twin is allowed; once unless told.
    #[serde(default)]
    times: Option<f64>,
}

impl Budgets {
    /// From the checkout.
    pub fn read() -> Result<Self> {
        let file = checkout().join("crates").join("bench").join("budgets.toml");
        Self::parse(&std::fs::read_to_string(&file).doing("reading the budgets")?)
    }

    fn parse(text: &str) -> Result<Self> {
        toml_edit::de::from_str(text).doing("reading the budgets")
    }

    /// One line for each figure that has a budget, and for each budget that has no figure.
    pub fn judge(&self, figures: &[Figure]) -> Vec<String> {
        let mut lines = Vec::new();
        for (bench, budgets) in &self.0 {
            for (metric, budget) in budgets {
                let value_of = |metric: &str| figures.iter().find(|f| f.bench == bench && f.metric == metric);
                let twin = budget.over.as_deref().map(value_of);
                let (Some(figure), None | Some(Some(_))) = (value_of(metric), twin) else {
                    lines.push(format!("unmeasured  {bench} {metric}"));
                    continue;
                };
                if let Some(least) = budget.min {
                    let word = if figure.value >= least { "ok   " } else { "UNDER" };
                    lines.push(format!("{word}  {bench} {metric}  {} of {least:.4} at least", figure.value));
                    continue;
                }
                let base = twin.flatten().map_or(0.0, |twin| twin.value * budget.times.unwrap_or(1.0));
                let most = base + budget.max;
                let word = if figure.value <= most { "ok  " } else { "OVER" };
                lines.push(format!("{word}  {bench} {metric}  {} of {most:.4}", figure.value));
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(metric: &'static str, value: f64) -> Figure {
        Figure { bench: "idle", metric, value, n: 1 }
    }

    #[test]
    fn figures_are_held_against_numbers_and_twins() {
        let budgets = Budgets::parse(
            "[idle]\na = { max = 4.0 }\nb = { max = 2.0, over = \"twin\" }\nc = { over = \"twin\", times = 1.5 }\nd = { max = 1.0 }\n\
             e = { min = 0.95 }\nf = { min = 0.95 }",
        )
        .unwrap();
        let values = [("a", 4.1), ("b", 11.9), ("c", 15.1), ("twin", 10.0), ("e", 0.94), ("f", 0.95)];
        let figures = values.map(|(metric, value)| figure(metric, value));
        assert_eq!(
            budgets.judge(&figures),
            [
                "OVER  idle a  4.1 of 4.0000",
                "ok    idle b  11.9 of 12.0000",
                "OVER  idle c  15.1 of 15.0000",
                "unmeasured  idle d",
                "UNDER  idle e  0.94 of 0.9500 at least",
                "ok     idle f  0.95 of 0.9500 at least",
            ]
        );
    }

    #[test]
    fn the_committed_budgets_are_readable() {
        assert!(!Budgets::read().unwrap().judge(&[]).is_empty());
    }
}
