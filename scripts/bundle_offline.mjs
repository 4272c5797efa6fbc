// The part of a try that has no network: it runs in a network of its own, in which there is only the computer itself.
// `unshare --net node scripts/bundle_offline.mjs ROOT`.
import { networkInterfaces } from "node:os";
import { chat } from "./bundle_journey.mjs";
import { inWindow } from "./bundle_window.mjs";
import { main, must, Stop } from "./run.mjs";

await main(async ([root]) => {
  await must("ip", ["link", "set", "lo", "up"]);
  const others = Object.keys(networkInterfaces()).filter((name) => name !== "lo");
  if (others.length > 0) throw new Stop(`There is a network here: ${others.join(", ")}`);
  await inWindow(root, "installed-offline", async (page) => {
    const { words, firstMs, wholeMs } = await chat(page);
    console.log(`  first word after ${firstMs} ms, the last one after ${wholeMs} ms`);
    console.log(words.replace(/^/gm, "  | "));
  });
});
