//! The display: which windows of a program stand on it, who has the keys, what is painted. It has no window manager, so
//! what one would say to a window is said here.

use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, ImageFormat, InputFocus, MapState,
};
use x11rb::rust_connection::RustConnection;

use crate::Result;

/// Windows that are smaller are the toolkit's own.
const LEAST: u16 = 200;
const NOBODY: u32 = 0;

/// A look at the display of this test.
#[derive(Debug)]
pub struct Screen {
    connection: RustConnection,
    root: u32,
    size: (u16, u16),
}

/// What is painted on the whole display.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// The part of it that is nearly white.
    pub white: f64,
    /// The part of it that is nearly black.
    pub black: f64,
}

impl Screen {
    /// The display that `DISPLAY` names.
    pub fn open() -> Result<Self> {
        let (connection, number) = x11rb::connect(None)?;
        let screen = connection.setup().roots.get(number).ok_or("no such screen")?;
        let (root, size) = (screen.root, (screen.width_in_pixels, screen.height_in_pixels));
        Ok(Self { connection, root, size })
    }

    /// The windows of a process, seen or not, the oldest first.
    pub fn windows_of(&self, pid: u32) -> Result<Vec<u32>> {
        let owner = self.atom("_NET_WM_PID")?;
        let mut found = Vec::new();
        for window in self.connection.query_tree(self.root)?.reply()?.children {
            // It may go while it is looked at.
            let Ok(place) = self.connection.get_geometry(window)?.reply() else { continue };
            let asked = self.connection.get_property(false, window, owner, AtomEnum::CARDINAL, 0, 1)?;
            let Ok(said) = asked.reply() else { continue };
            let theirs = said.value32().and_then(|mut values| values.next());
            if theirs == Some(pid) && place.width >= LEAST && place.height >= LEAST {
                found.push(window);
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Whether it is on the display.
    pub fn is_seen(&self, window: u32) -> Result<bool> {
        Ok(self.connection.get_window_attributes(window)?.reply()?.map_state == MapState::VIEWABLE)
    }

    /// What the cross in a window's corner says.
    pub fn press_close(&self, window: u32) -> Result {
        let (protocols, delete) = (self.atom("WM_PROTOCOLS")?, self.atom("WM_DELETE_WINDOW")?);
        let message = ClientMessageEvent::new(32, window, protocols, [delete, 0, 0, 0, 0]);
        self.connection.send_event(false, window, EventMask::NO_EVENT, message)?;
        // An answer to a later question means that this one was heard.
        self.connection.get_input_focus()?.reply()?;
        Ok(())
    }

    /// Gives it the keys.
    pub fn focus(&self, window: u32) -> Result {
        self.give_keys(window)
    }

    /// Takes the keys away from everybody.
    pub fn focus_nobody(&self) -> Result {
        self.give_keys(NOBODY)
    }

    /// Looks at what is painted.
    pub fn frame(&self) -> Result<Frame> {
        let (width, height) = self.size;
        let image = self.connection.get_image(ImageFormat::Z_PIXMAP, self.root, 0, 0, width, height, !0)?.reply()?;
        let pixels = image.data.chunks_exact(4);
        let all = pixels.len().max(1) as f64;
        let (mut white, mut black) = (0_u32, 0_u32);
        for pixel in pixels {
            let colours = &pixel[..3];
            white += u32::from(colours.iter().all(|part| *part >= 0xf0));
            black += u32::from(colours.iter().all(|part| *part == 0));
        }
        Ok(Frame { white: f64::from(white) / all, black: f64::from(black) / all })
    }

    fn give_keys(&self, window: u32) -> Result {
        self.connection.set_input_focus(InputFocus::NONE, window, x11rb::CURRENT_TIME)?.check()?;
        Ok(())
    }

    fn atom(&self, name: &str) -> Result<u32> {
        Ok(self.connection.intern_atom(false, name.as_bytes())?.reply()?.atom)
    }
}
