// The two files that hold several sizes of the icon in one: icon.ico for Windows and icon.icns for macOS. Written here
// and not by Tauri's tool, whose order of the parts differs from run to run.

/** Sizes of the Windows icon. The first one is what Tauri takes for a window. */
export const icoSizes = [32, 16, 24, 48, 64, 256];

/** Apple's name of each part, and its size in pixels. */
export const icnsParts = { ic11: 32, ic12: 64, ic07: 128, ic13: 256, ic08: 256, ic14: 512, ic09: 512, ic10: 1024 };

/** `pictures` is a list of `{ size, png }`. */
export function ico(pictures) {
  const head = Buffer.alloc(6 + 16 * pictures.length);
  head.writeUInt16LE(1, 2); // an icon, not a cursor
  head.writeUInt16LE(pictures.length, 4);
  let offset = head.length;
  for (const [at, { size, png }] of pictures.entries()) {
    const entry = 6 + 16 * at;
    head.writeUInt8(size % 256, entry); // 0 stands for 256
    head.writeUInt8(size % 256, entry + 1);
    head.writeUInt16LE(1, entry + 4); // planes
    head.writeUInt16LE(32, entry + 6); // bits of a pixel
    head.writeUInt32LE(png.length, entry + 8);
    head.writeUInt32LE(offset, entry + 12);
    offset += png.length;
  }
  return Buffer.concat([head, ...pictures.map(({ png }) => png)]);
}

/** `parts` is a list of `{ name, png }`. */
export function icns(parts) {
  const body = Buffer.concat(parts.map(({ name, png }) => chunk(name, png)));
  return chunk("icns", body);
}

function chunk(name, body) {
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32BE(8 + body.length, 4);
  return Buffer.concat([head, body]);
}
