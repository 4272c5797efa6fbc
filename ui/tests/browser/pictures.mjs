// Reference pictures: how they are written, and how a window is compared with one.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { deflateSync } from "node:zlib";

export const FOLDER = resolve(import.meta.dirname, "../screens");

/** Both pictures are averaged over squares of this many pixels: the edges of letters, which no two rasterisers draw
 *  alike, vanish in it; a word that is there or not does not. */
const SQUARE = 4;
/** A square differs when one of its colours is further away than this, of 255. */
const FAR = 20;
/** So many squares of a thousand may differ: 16 of a wide window, ten of a narrow one. One short word more is as many. */
export const ALLOWED_PERMILLE = 0.25;

let kept;

/** Writes a picture as the reference, in 256 colours. */
export async function writePicture(desk, name, png) {
  mkdirSync(FOLDER, { recursive: true });
  const { width, height, palette, pixels } = await desk.evaluate(reduce, png.toString("base64"));
  writeFileSync(join(FOLDER, `${name}.png`), encode(width, height, Buffer.from(palette), Buffer.from(pixels, "base64")));
}

/** How many squares of a thousand differ from the reference; where they are too many, both pictures are kept. */
export async function comparePicture(desk, name, png) {
  const target = join(FOLDER, `${name}.png`);
  if (!existsSync(target)) return { permille: 1000, words: `there is no ${target}; write it with: npm --workspace ui run screens` };
  const permille = await desk.evaluate(difference, { a: readFileSync(target).toString("base64"), b: png.toString("base64"), square: SQUARE, far: FAR });
  if (permille <= ALLOWED_PERMILLE) return { permille, words: "" };
  kept ??= mkdtempSync(join(tmpdir(), "gatehouse-screens-"));
  writeFileSync(join(kept, `${name}.png`), png);
  writeFileSync(join(kept, `${name}.target.png`), readFileSync(target));
  return { permille, words: `${permille.toFixed(1)} of 1000 squares differ; see ${join(kept, `${name}.png`)} beside its .target.png` };
}

/** In a page: how many squares of a thousand differ. */
async function difference({ a, b, square, far }) {
  const read = async (base64) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const [one, two] = await Promise.all([read(a), read(b)]);
  if (one.width !== two.width || one.height !== two.height) return 1000;
  const across = Math.floor(one.width / square);
  const down = Math.floor(one.height / square);
  let off = 0;
  for (let y = 0; y < down; y += 1) {
    for (let x = 0; x < across; x += 1) {
      const sum = [0, 0, 0];
      for (let dy = 0; dy < square; dy += 1) {
        for (let dx = 0; dx < square; dx += 1) {
          const at = ((y * square + dy) * one.width + x * square + dx) * 4;
          for (let part = 0; part < 3; part += 1) sum[part] += one.data[at + part] - two.data[at + part];
        }
      }
      if (sum.some((part) => Math.abs(part) > far * square * square)) off += 1;
    }
  }
  return (off / (across * down)) * 1000;
}

/** In a page: the picture with at most 256 colours, one byte a pixel. */
async function reduce(base64) {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
  const { width, height } = image;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const keys = new Uint32Array(width * height);
  const many = new Map();
  for (let at = 0; at < keys.length; at += 1) {
    const key = (data[at * 4] << 16) | (data[at * 4 + 1] << 8) | data[at * 4 + 2];
    keys[at] = key;
    many.set(key, (many.get(key) ?? 0) + 1);
  }
  // Surfaces keep their exact colour; of the edges of letters, one of each shade is enough.
  const sorted = [...many].sort((a, b) => b[1] - a[1]);
  const shades = new Set();
  const chosen = sorted
    .filter(([key, count], place) => {
      const shade = key & 0xf0f0f0;
      const kept = !shades.has(shade) || (place < 64 && count > 200);
      shades.add(shade);
      return kept;
    })
    .slice(0, 256)
    .map(([key]) => key);
  const places = new Map(chosen.map((key, place) => [key, place]));
  const nearest = (key) => {
    let best = 0;
    let least = Infinity;
    chosen.forEach((other, place) => {
      const away = ((key >> 16) - (other >> 16)) ** 2 + (((key >> 8) & 255) - ((other >> 8) & 255)) ** 2 + ((key & 255) - (other & 255)) ** 2;
      if (away < least) [best, least] = [place, away];
    });
    return best;
  };
  const pixels = new Uint8Array(keys.length);
  for (let at = 0; at < keys.length; at += 1) {
    if (!places.has(keys[at])) places.set(keys[at], nearest(keys[at]));
    pixels[at] = places.get(keys[at]);
  }
  let binary = "";
  for (let at = 0; at < pixels.length; at += 32_768) binary += String.fromCharCode(...pixels.subarray(at, at + 32_768));
  return { width, height, palette: chosen.flatMap((key) => [key >> 16, (key >> 8) & 255, key & 255]), pixels: btoa(binary) };
}

/** A PNG of indexed colours. */
function encode(width, height, palette, pixels) {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) pixels.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", head), chunk("PLTE", palette), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc(body), body.length + 4);
  return whole;
}

function crc(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return (value ^ 0xffffffff) >>> 0;
}
