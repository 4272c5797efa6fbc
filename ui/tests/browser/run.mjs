// Builds the pages with the in-memory gateway and runs the browser tests against them; also looks into the real build.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "vite";

const root = resolve(import.meta.dirname, "../..");
const out = mkdtempSync(join(tmpdir(), "gatehouse-ui-"));

/** Words that stand in the in-memory gateway only. */
const FAKE_ONLY = "Orders on the new database";

async function buildTo(name, fake) {
  process.env.VITE_FAKE = fake;
  const outDir = join(out, name);
  await build({ root, logLevel: "warn", build: { outDir, emptyOutDir: true, reportCompressedSize: false } });
  return outDir;
}

function holdsWords(folder) {
  return readdirSync(join(folder, "assets"))
    .filter((file) => file.endsWith(".js"))
    .some((file) => readFileSync(join(folder, "assets", file), "utf8").includes(FAKE_ONLY));
}

let code = 1;
try {
  const pages = await buildTo("fake", "1");
  const product = await buildTo("product", "0");
  if (!holdsWords(pages) || holdsWords(product)) {
    console.error("The in-memory gateway belongs in test builds, and only there.");
  } else {
    const tests = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".test.mjs"));
    const done = spawnSync(
      process.execPath,
      ["--test", "--test-concurrency=2", ...tests.map((file) => join(import.meta.dirname, file))],
      { stdio: "inherit", env: { ...process.env, GATEHOUSE_PAGES: pages } },
    );
    code = done.status ?? 1;
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}
process.exit(code);
