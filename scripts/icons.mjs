// `node scripts/icons.mjs`: draws every icon file from icons/icon.svg. Needs rsvg-convert; run it after a change there.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { top } from "./env.mjs";
import { main, must } from "./run.mjs";

// Each size is drawn from the SVG by itself: scaling one picture down would blur the 16-cell grid it is built on.
const pictures = { "32x32": 32, "64x64": 64, "128x128": 128, "128x128@2x": 256, icon: 512 };

await main(async () => {
  const icons = join(top, "icons");
  const source = join(icons, "icon.svg");
  for (const [name, size] of Object.entries(pictures)) {
    await must("rsvg-convert", ["-w", `${size}`, "-h", `${size}`, source, "-o", join(icons, `${name}.png`)]);
  }
  // The containers of Windows and macOS come from Tauri's own tool, which also draws what we do not ship.
  const scratch = mkdtempSync(join(tmpdir(), "gatehouse-icons-"));
  await must("npx", ["--no-install", "tauri", "icon", source, "-o", scratch]);
  for (const name of ["icon.ico", "icon.icns"]) copyFileSync(join(scratch, name), join(icons, name));
  rmSync(scratch, { recursive: true });
});
