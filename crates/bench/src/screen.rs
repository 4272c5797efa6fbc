//! A display of its own whose picture lies in a file, and a session bus of its own.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::error::{Doing, Error, Result};
use crate::program::{self, Running};

/// A picture has at least so many colours: an empty window has its background's, a cursor adds two, letters add more.
const COLOURS: usize = 8;
const SIZE: &str = "1280x800x24";

/// A virtual display and a bus.
#[derive(Debug)]
pub(crate) struct Screen {
    display: String,
    bus: String,
    picture: PathBuf,
    _x: Running,
    _bus: Running,
    _dir: TempDir,
}

impl Screen {
    /// Starts both.
    pub fn start() -> Result<Self> {
        let dir = program::scratch()?;
        let mut x = program::command("Xvfb");
        x.args(["-displayfd", "1", "-screen", "0", SIZE, "-nolisten", "tcp", "-noreset", "-fbdir"]).arg(dir.path());
        let mut x = program::start(x.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()))?;
        let display = format!(":{}", first_line(&mut x, "the display's number")?);
        let mut bus = program::command("dbus-daemon");
        bus.args(["--session", "--nofork", "--nopidfile", "--print-address=1"]);
        let mut bus = program::start(bus.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()))?;
        let address = first_line(&mut bus, "the bus's address")?;
        Ok(Self { display, bus: address, picture: dir.path().join("Xvfb_screen0"), _x: x, _bus: bus, _dir: dir })
    }

    /// A program that will show itself here.
    pub fn show(&self, command: &mut Command) {
        command
            .env("DISPLAY", &self.display)
            .env("DBUS_SESSION_BUS_ADDRESS", &self.bus)
            .env("NO_AT_BRIDGE", "1")
            .env_remove("WAYLAND_DISPLAY");
    }

    /// Whether anything that deserves the name of a picture is to be seen.
    pub fn has_picture(&self) -> Result<bool> {
        let mut bytes = Vec::new();
        let read = File::open(&self.picture).and_then(|mut file| file.read_to_end(&mut bytes));
        read.doing("looking at the screen")?;
        Ok(colours(pixels(&bytes)?) >= COLOURS)
    }
}

fn first_line(program: &mut Running, what: &str) -> Result<String> {
    let out = program.0.stdout.take().ok_or_else(|| Error::Shape(what.to_owned()))?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line).doing(what)?;
    if line.trim().is_empty() { Err(Error::Shape(what.to_owned())) } else { Ok(line.trim().to_owned()) }
}

/// The part of an XWD file behind its header and its colour table.
fn pixels(xwd: &[u8]) -> Result<&[u8]> {
    let word = |index: usize| {
        let bytes = xwd.get(index * 4..index * 4 + 4).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
        bytes.map(u32::from_be_bytes).and_then(|word| usize::try_from(word).ok())
    };
    let start = word(0).zip(word(19)).map(|(header, colours)| header + colours * 12);
    start.and_then(|start| xwd.get(start..)).ok_or_else(|| Error::Shape("a picture of the screen".into()))
}

/// How many colours there are, counted no further than matters.
fn colours(pixels: &[u8]) -> usize {
    let mut seen: Vec<[u8; 4]> = Vec::with_capacity(COLOURS);
    for pixel in pixels.as_chunks::<4>().0 {
        if seen.last() != Some(pixel) && !seen.contains(pixel) {
            seen.push(*pixel);
            if seen.len() == COLOURS {
                break;
            }
        }
    }
    seen.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_counted_once() {
        assert_eq!(colours(&[0; 64]), 1);
        let stripes: Vec<u8> = (0..100_u8).flat_map(|n| [n % 3, 0, 0, 0]).collect();
        assert_eq!(colours(&stripes), 3);
        let many: Vec<u8> = (0..100_u8).flat_map(|n| [n, 0, 0, 0]).collect();
        assert_eq!(colours(&many), COLOURS);
    }

    #[test]
    fn pixels_begin_behind_header_and_table() {
        let mut file = vec![0; 100 + 2 * 12 + 8];
        file[..4].copy_from_slice(&100_u32.to_be_bytes());
        file[19 * 4..20 * 4].copy_from_slice(&2_u32.to_be_bytes());
        assert_eq!(pixels(&file).unwrap().len(), 8);
        assert!(pixels(&file[..50]).is_err());
    }
}
