// An answer that hands files over, and one file that it does not.
import { calm } from "./everything";
import type { FakeGateway } from "./gateway";
import { parse } from "./markdown";

/** Fills the gateway. */
export function files(gateway: FakeGateway): void {
  calm(gateway);
  const now = Date.now();
  const text = "The two-stage build is done: **412 MB** smaller. The sizes are in the table, and the picture shows what went where.\n\nMEDIA:/root/.ssh/id_ed25519";
  gateway.putItem({
    itemId: "handed-over",
    sessionId: "docker",
    author: "model",
    kind: "message",
    text,
    blocks: parse(text),
    atMs: now,
    streaming: false,
    files: [
      { name: "layers.png", path: "/home/ada/src/orders/report/layers.png", bytes: 184_320, kind: "image" },
      { name: "sizes-of-every-layer-before-and-after-the-change.csv", path: "/home/ada/src/orders/report/sizes.csv", bytes: 2_410, kind: "document" },
      { name: "walkthrough.mp4", path: "/home/ada/src/orders/report/walkthrough.mp4", bytes: 9_830_400, kind: "video" },
      { name: "id_ed25519", path: "/root/.ssh/id_ed25519", bytes: 0, kind: "document", refused: "it may hold keys or passwords" },
    ],
  });
  gateway.forget();
}
