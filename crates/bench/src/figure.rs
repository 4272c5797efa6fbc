//! Numbers and how they are shown.

use std::io::{self, Write};

use serde::Serialize;

/// One figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Figure {
    /// Who measured it.
    pub bench: &'static str,
    /// Its pinned name.
    pub metric: &'static str,
    /// The number.
    pub value: f64,
    /// How many samples stand behind it.
    pub n: usize,
}

/// What one bench brings home.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    bench: &'static str,
    /// The figures.
    pub figures: Vec<Figure>,
    /// What could not be measured, and why.
    pub missing: Vec<String>,
}

impl Findings {
    /// None yet.
    pub const fn of(bench: &'static str) -> Self {
        Self { bench, figures: Vec::new(), missing: Vec::new() }
    }

    /// Adds a figure.
    pub fn add(&mut self, metric: &'static str, value: f64, n: usize) {
        let value = (value * 10_000.0).round() / 10_000.0;
        self.figures.push(Figure { bench: self.bench, metric, value, n });
    }

    /// Adds a percentile of samples.
    pub fn add_percentile(&mut self, metric: &'static str, samples: &[f64], percent: f64) {
        match percentile(samples, percent) {
            Some(value) => self.add(metric, value, samples.len()),
            None => self.missing.push(format!("{metric}: there is no sample")),
        }
    }
}

/// The smallest sample that `percent` of all samples do not exceed.
pub(crate) fn percentile(samples: &[f64], percent: f64) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// The middle one.
pub(crate) fn median(samples: &[f64]) -> Option<f64> {
    percentile(samples, 50.0)
}

/// One JSON object per figure, each on a line of its own.
pub(crate) fn print_json(out: &mut dyn Write, figures: &[Figure]) -> io::Result<()> {
    for figure in figures {
        serde_json::to_writer(&mut *out, figure)?;
        writeln!(out)?;
    }
    out.flush()
}

/// A table for people.
pub(crate) fn print_table(out: &mut dyn Write, figures: &[Figure]) -> io::Result<()> {
    let width = figures.iter().map(|f| f.metric.len()).max().unwrap_or(0);
    let mut bench = "";
    for figure in figures {
        if figure.bench != bench {
            bench = figure.bench;
            writeln!(out, "{bench}")?;
        }
        writeln!(out, "  {:width$}  {:>12}  n = {}", figure.metric, figure.value, figure.n)?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples() {
        let samples: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        assert_eq!(percentile(&samples, 50.0), Some(100.0));
        assert_eq!(percentile(&samples, 99.0), Some(198.0));
        assert_eq!(percentile(&samples, 100.0), Some(200.0));
        assert_eq!(percentile(&[7.0], 1.0), Some(7.0));
        assert_eq!(percentile(&[], 50.0), None);
    }

    #[test]
    fn a_figure_is_one_line_of_json() {
        let mut findings = Findings::of("exit_to_note");
        findings.add("commit_p50_ms", 3.1, 200);
        let mut out = Vec::new();
        print_json(&mut out, &findings.figures).unwrap();
        let line = r#"{"bench":"exit_to_note","metric":"commit_p50_ms","value":3.1,"n":200}"#;
        assert_eq!(String::from_utf8(out).unwrap(), format!("{line}\n"));
    }
}
