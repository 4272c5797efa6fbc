// The real server program, with the pages as they are shipped, in a home of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { targetDir } from "../../../scripts/env.mjs";

const PROGRAM = join(targetDir, "debug", "gatehouse-server");

/** Starts it; `before` is handed the home before that. Answers its address, a way to ask it, and how to end it. */
export async function startServer(before = () => undefined) {
  assert.ok(existsSync(PROGRAM), "build it first: cargo build -p gatehouse-server -p gatehouse-process --bins");
  const root = mkdtempSync(join(tmpdir(), "gatehouse-served-"));
  const home = join(root, "home");
  mkdirSync(join(root, "ui"));
  symlinkSync(process.env.GATEHOUSE_PRODUCT, join(root, "ui", "dist"));
  before(home);
  const child = spawn(PROGRAM, ["--home", home, "--port", "0"], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  const end = async () => {
    child.kill("SIGTERM");
    await gone;
    rmSync(root, { recursive: true, force: true });
  };
  const first = await Promise.race([createInterface({ input: child.stdout })[Symbol.asyncIterator]().next(), gone]);
  if (first?.value === undefined) {
    await end();
    throw new Error("the server did not start");
  }
  const { url, token } = JSON.parse(first.value);
  return { url, token, ask: (command, params, profile) => ask({ url, token }, command, params, profile), end };
}

async function ask({ url, token }, command, params = {}, profile) {
  const where = profile === undefined ? "" : `?profile=${encodeURIComponent(profile)}`;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${url}/rpc/${command}${where}`, { method: "POST", headers, body: JSON.stringify(params) });
  const body = await response.json();
  assert.ok(response.ok, `${command}: ${JSON.stringify(body)}`);
  return body;
}
