//! The window's place on the display: on it or hidden, with the keys or without.

use tokio::time::{Instant, sleep};

use super::Screen;
use super::app::{App, LOOK};
use crate::{LIMIT, Result};

impl App {
    /// The program's windows on the display, the oldest first.
    pub fn places(&self, screen: &Screen) -> Result<Vec<u32>> {
        screen.windows_of(self.pid()?)
    }

    fn place(&self, screen: &Screen) -> Result<u32> {
        self.places(screen)?.first().copied().ok_or_else(|| "the program has no window".into())
    }

    /// Presses the cross in the window's corner.
    pub fn press_close(&self, screen: &Screen) -> Result {
        screen.press_close(self.place(screen)?)
    }

    /// Closes the window where a tray keeps the program: it is hidden.
    pub async fn hide(&self, screen: &Screen) -> Result {
        self.press_close(screen)?;
        self.until_seen(screen, false).await
    }

    /// Waits until the window is on the display, or is not.
    pub async fn until_seen(&self, screen: &Screen, wanted: bool) -> Result {
        let deadline = Instant::now() + LIMIT;
        let place = self.place(screen)?;
        while screen.is_seen(place)? != wanted {
            if Instant::now() > deadline {
                return Err(format!("the window is {} the display", if wanted { "not on" } else { "still on" }).into());
            }
            sleep(LOOK).await;
        }
        Ok(())
    }

    /// Gives the window the keys, as a click on it would, or takes them away, as a click elsewhere would.
    pub async fn focus(&self, screen: &Screen, wanted: bool) -> Result {
        match wanted {
            true => screen.focus(self.place(screen)?)?,
            false => screen.focus_nobody()?,
        }
        let knows = format!("return document.hasFocus() === {wanted}");
        self.until("a page that knows who has the keys", &knows, &[]).await.map(drop)
    }
}
