// Builds the pages with the in-memory gateway and runs the browser tests against them; also looks into the real build.
// `--screens` writes the reference pictures anew instead; names of test files run only these.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "vite";

const root = resolve(import.meta.dirname, "../..");
const out = mkdtempSync(join(tmpdir(), "gatehouse-ui-"));

/** Words that stand in the in-memory gateway only. */
const FAKE_ONLY = "Orders on the new database";

const VIEWS = "views.test.mjs";

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

function runTests(pages, tests, env = {}) {
  const files = tests.map((file) => join(import.meta.dirname, file));
  const done = spawnSync(process.execPath, ["--test", "--test-concurrency=2", ...files], {
    stdio: "inherit",
    env: { ...process.env, GATEHOUSE_PAGES: pages, ...env },
  });
  return done.status ?? 1;
}

async function testAll(only) {
  const pages = await buildTo("fake", "1");
  const product = await buildTo("product", "0");
  if (!holdsWords(pages) || holdsWords(product)) {
    console.error("The in-memory gateway belongs in test builds, and only there.");
    return 1;
  }
  // The longest one first, so that nothing is left to wait for at the end.
  const all = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".test.mjs"));
  const sorted = all.toSorted((a, b) => Number(b === VIEWS) - Number(a === VIEWS));
  return runTests(pages, sorted.filter((file) => only.length === 0 || only.some((name) => file.startsWith(name))), { GATEHOUSE_PRODUCT: product });
}

const given = process.argv.slice(2);
let code = 1;
try {
  code = given.includes("--screens") ? runTests(await buildTo("fake", "1"), [VIEWS], { GATEHOUSE_SCREENS: "write" }) : await testAll(given);
} finally {
  rmSync(out, { recursive: true, force: true });
}
process.exit(code);
