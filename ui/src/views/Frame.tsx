// The window: sidebar, transcript, rail and status bar.
/** The whole window. */
export function Frame() {
  return <main className="frame" />;
}
