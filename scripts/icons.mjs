// `node scripts/icons.mjs`: draws every icon file from the two drawings in icons/. Needs rsvg-convert; run it after a
// change of either.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { top } from "./env.mjs";
import { icns, icnsParts, ico, icoSizes } from "./icons_containers.mjs";
import { main, must } from "./run.mjs";

const icons = join(top, "icons");

// Named as Tauri's own tool names them. Each size is drawn from the SVG by itself: scaling one picture down would blur
// the 16-cell grid it is built on.
const tiles = { "32x32": 32, "64x64": 64, "128x128": 128, "128x128@2x": 256, icon: 512, StoreLogo: 50 };
for (const size of [30, 44, 71, 89, 107, 142, 150, 284, 310]) tiles[`Square${size}x${size}Logo`] = size;

// The colour of words on a panel of that brightness.
const strokes = { light: "#221D19", dark: "#EBE9E6" };

/** Every tray picture: its file below icons/tray/, its size in pixels, and the drawing it is made of. */
export function trayPictures(drawing) {
  return Object.entries(strokes).flatMap(([panel, colour]) =>
    [false, true].flatMap((active) =>
      [32, 64].map((size) => ({
        file: `${panel}${active ? "-active" : ""}${size === 64 ? "@2x" : ""}.png`,
        size,
        svg: trayDrawing(drawing, colour, active),
      })),
    ),
  );
}

/** The lamp burns only while somebody is needed. */
function trayDrawing(drawing, colour, active) {
  const lamp = /\s*<path id="lamp"[^>]*\/>/;
  if (!lamp.test(drawing)) throw new Error("The tray drawing has no lamp.");
  return (active ? drawing : drawing.replace(lamp, "")).replaceAll("currentColor", colour);
}

async function draw(svg, size, png) {
  mkdirSync(dirname(png), { recursive: true });
  await must("rsvg-convert", ["-w", `${size}`, "-h", `${size}`, svg, "-o", png]);
}

async function drawTiles() {
  const source = join(icons, "icon.svg");
  for (const [name, size] of Object.entries(tiles)) await draw(source, size, join(icons, `${name}.png`));
}

async function drawTray(scratch) {
  const svg = join(scratch, "tray.svg");
  for (const picture of trayPictures(readFileSync(join(icons, "icon-tray.svg"), "utf8"))) {
    writeFileSync(svg, picture.svg);
    await draw(svg, picture.size, join(icons, "tray", picture.file));
  }
}

async function makeContainers(scratch) {
  const pngs = {};
  for (const size of new Set([...icoSizes, ...Object.values(icnsParts)])) {
    const png = join(scratch, `${size}.png`);
    await draw(join(icons, "icon.svg"), size, png);
    pngs[size] = readFileSync(png);
  }
  writeFileSync(join(icons, "icon.ico"), ico(icoSizes.map((size) => ({ size, png: pngs[size] }))));
  const parts = Object.entries(icnsParts).map(([name, size]) => ({ name, png: pngs[size] }));
  writeFileSync(join(icons, "icon.icns"), icns(parts));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const scratch = mkdtempSync(join(tmpdir(), "gatehouse-icons-"));
    try {
      await drawTiles();
      await drawTray(scratch);
      await makeContainers(scratch);
    } finally {
      rmSync(scratch, { recursive: true });
    }
  });
}
