// What the scripts read and decide, without running the product.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { missingEntries, wanted, wrongEntries, wrongFields, wrongLicences } from "./bundle_check.mjs";
import { sourcesOf } from "./bundle_root.mjs";
import { besideTheApp, engineName } from "./engine.mjs";
import { beginEngine, closingLine } from "./engine_behind.mjs";
import { trayPictures } from "./icons.mjs";
import { icns, ico } from "./icons_containers.mjs";
import { licencesText, namesInTree, thirdParty } from "./licences.mjs";
import { isAllowed } from "./licences_rule.mjs";
import { mustBe, place, starter } from "./model.mjs";
import { missingPackages } from "./packages.mjs";
import { parseLibtestLine, reportOfNextest, reportOfVitest } from "./report.mjs";
import { Stop } from "./run.mjs";
import { count, slowest } from "./stage_run.mjs";
import { control } from "./starter_deb.mjs";
import { programsOf } from "./sweep.mjs";

function inDirectory(body) {
  const directory = mkdtempSync(join(tmpdir(), "gatehouse-scripts-"));
  return Promise.resolve(body(directory)).finally(() => rmSync(directory, { recursive: true }));
}

test("a report of nextest tells passed and failed tests", () =>
  inDirectory((directory) => {
    const file = join(directory, "junit.xml");
    writeFileSync(
      file,
      `<testsuites><testsuite name="x"><testcase name="a::b" classname="gatehouse-text" time="0.25"/>
       <testcase name="c" classname="gatehouse-turn" time="1.5"><failure type="x">no</failure></testcase>
       <testcase name="d" classname="gatehouse-turn" time="0.1"><system-out>ok</system-out></testcase></testsuite></testsuites>`,
    );
    assert.deepEqual(reportOfNextest(file), [
      { name: "gatehouse-text::a::b", seconds: 0.25, passed: true },
      { name: "gatehouse-turn::c", seconds: 1.5, passed: false },
      { name: "gatehouse-turn::d", seconds: 0.1, passed: true },
    ]);
  }));

test("a report of vitest leaves skipped tests out", () =>
  inDirectory((directory) => {
    const file = join(directory, "vitest.json");
    const assertionResults = [
      { fullName: "a b", status: "passed", duration: 20 },
      { fullName: "c", status: "failed" },
      { fullName: "d", status: "skipped" },
    ];
    writeFileSync(file, JSON.stringify({ testResults: [{ assertionResults }] }));
    assert.deepEqual(reportOfVitest(file), [
      { name: "ui::a b", seconds: 0.02, passed: true },
      { name: "ui::c", seconds: 0, passed: false },
    ]);
    assert.deepEqual(reportOfVitest(join(directory, "missing.json")), []);
  }));

test("a line of cargo's own runner is read", () => {
  assert.deepEqual(parseLibtestLine("test a::b ... ok <0.120s>"), { name: "a::b", passed: true, seconds: 0.12 });
  assert.equal(parseLibtestLine("test a ... FAILED <2.000s>").passed, false);
  assert.equal(parseLibtestLine("running 3 tests"), undefined);
});

test("a stage that was not reached counts as failed", () => {
  const stages = [{ name: "a" }, { name: "b" }, { name: "c" }];
  const told = [{ code: 0 }, { code: 1 }];
  const seen = [{ passed: true, seconds: 1 }, { passed: false, seconds: 3 }];
  assert.deepEqual(count(stages, told, seen), { passed: 2, failed: 3 });
  assert.deepEqual(slowest(seen, 1), [seen[1]]);
});

test("an unknown package group is refused", () => {
  assert.throws(() => missingPackages(["nonsense"]), Stop);
});

test("the sweep finds a program of this run and no other", () =>
  inDirectory(async (directory) => {
    const ours = spawn("sleep", ["60"], { env: { ...process.env, TMPDIR: directory } });
    const other = spawn("sleep", ["60"]);
    try {
      await Promise.all([ours, other].map((child) => new Promise((done) => child.once("spawn", done))));
      assert.deepEqual(programsOf(directory), [{ pid: ours.pid, name: "sleep" }]);
    } finally {
      for (const child of [ours, other]) child.kill("SIGKILL");
    }
  }));

test("a licence is allowed where its expression leaves an allowed choice", () => {
  for (const good of ["MIT", "GPL-3.0 OR MIT", "MIT/GPL-2.0", "(MIT OR GPL-3.0) AND Unicode-3.0", "Apache-2.0 WITH LLVM-exception"]) {
    assert.equal(isAllowed(good), true, good);
  }
  for (const bad of [undefined, "", "GPL-3.0", "MIT AND GPL-3.0", "MIT WITH GPL-exception", "(MIT", "MIT MIT", "SEE LICENSE IN X"]) {
    assert.equal(isAllowed(bad), false, bad);
  }
});

test("everything that is shipped has an allowed licence and says where it is from", () => {
  const packages = thirdParty();
  const names = packages.map(({ name }) => name);
  for (const name of ["llama-cpp-sys-2", "minijinja", "llama.cpp and ggml", "tauri", "ring", "option-ext", "react", "@fontsource-variable/inter"]) assert.ok(names.includes(name), name);
  assert.equal(new Set(packages.map(({ name, version }) => `${name} ${version}`)).size, packages.length, "one stands twice");
  for (const name of ["vite", "bindgen", "serde_derive", "tauri-build", "gatehouse-store"]) assert.ok(!names.includes(name), name);
  assert.deepEqual(packages.filter(({ source, texts }) => !source && texts.length === 0), []);
  const text = licencesText(packages);
  assert.match(text, /SIL OPEN FONT LICENSE/);
  assert.match(text, /Mozilla Foundation/);
  assert.deepEqual(wrongLicences(text), []);
  assert.equal(wrongLicences("- tauri 2").length, 4);
});

test("a text that several packages brought stands once, and a refused licence is named", () => {
  const packages = [
    { name: "a", version: "1", licence: "MIT", source: "s", texts: ["Be  free\nor not"] },
    { name: "b", version: "2", licence: "MIT", source: "s", texts: ["Be free or not"] },
    { name: "c", version: "3", licence: "ISC", source: "s", texts: [] },
  ];
  const text = licencesText(packages);
  assert.equal(text.match(/free/g).length, 1);
  assert.match(text, /^a 1, b 2$/m);
  assert.match(text, /^\* c 3, ISC, s$/m);
  const refused = [{ ...packages[0], licence: "SSPL-1.0" }, packages[1]];
  assert.throws(() => licencesText(refused), (error) => error instanceof Stop && /a 1: SSPL-1.0$/.test(error.message));
});

test("crates are read from cargo's tree", () => {
  const tree = "gatehouse v0.1.0 (/x)\nmemchr v2.8.3\nmemchr v2.8.3 (*)\n\nbase64 v0.22.1";
  assert.deepEqual([...namesInTree(tree)], ["gatehouse 0.1.0", "memchr 2.8.3", "base64 0.22.1"]);
});

test("apt's sources of one release are read from both forms", () => {
  const lines = "# deb http://old.invalid x main\ndeb [arch=amd64] http://a.invalid/debian bookworm main contrib\ndeb-src http://a.invalid bookworm main\n";
  const stanzas = `Types: deb deb-src
URIs: http://b.invalid/debian
Suites: bookworm-updates trixie
Components: main

Types: deb
Enabled: no
URIs: http://c.invalid
Suites: bookworm
Components: main`;
  assert.deepEqual(sourcesOf([lines, stanzas], "bookworm"), [
    { uri: "http://a.invalid/debian", suite: "bookworm", components: "main contrib" },
    { uri: "http://b.invalid/debian", suite: "bookworm-updates", components: "main" },
  ]);
});

test("a package with a foreign owner, a strange mode or a gap is not fit", () => {
  const entry = (mode, owner, path) => `${mode} ${owner} 12 1970-01-01 00:00 ${path}`;
  const good = [
    entry("drwxr-xr-x", "root/root", "./"),
    entry("drwxr-xr-x", "root/root", "./usr/bin/"),
    entry("drwxr-xr-x", "0/0", "usr/bin"),
    entry("-rwxr-xr-x", "0/0", "usr/bin/gatehouse"),
  ];
  const bad = [entry("-rwsr-xr-x", "root/root", "./usr/bin/gatehouse-shim"), entry("-rw-------", "root/root", "./usr/share/a b")];
  assert.deepEqual(wrongEntries(good.join("\n")), []);
  assert.equal(wrongEntries([...good, ...bad, entry("-rw-r--r--", "me/me", "./usr/x")].join("\n")).length, 3);
  const missing = missingEntries([...good, ...bad].join("\n"), wanted);
  assert.ok(missing.includes("/usr/share/doc/gatehouse/copyright: missing"));
  assert.deepEqual(missing.filter((line) => line.startsWith("/usr/bin/")), ["/usr/bin/gatehouse-engine: missing"]);
});

test("a package that asks for too little or too much is not fit", () => {
  const good = { depends: "libc6 (>= 2.36), libstdc++6 (>= 12)", recommends: "xdg-utils, gatehouse-starter-model" };
  assert.deepEqual(wrongFields(good), []);
  assert.equal(wrongFields({ ...good, depends: "libstdc++6" }).length, 1);
  assert.equal(wrongFields({ ...good, recommends: "" }).length, 1);
  assert.equal(wrongFields({ ...good, depends: `${good.depends}, gatehouse-starter-model` }).length, 1);
});

test("the lamp of the tray burns in the active pictures only", () => {
  const pictures = trayPictures('<svg fill="currentColor">\n<path d="M1"/>\n<path id="lamp" d="M6"/></svg>');
  const files = pictures.map(({ file }) => file).sort();
  assert.deepEqual(files.filter((file) => file.startsWith("dark")), ["dark-active.png", "dark-active@2x.png", "dark.png", "dark@2x.png"]);
  assert.equal(files.length, 8);
  for (const { file, svg } of pictures) {
    assert.equal(svg.includes("lamp"), file.includes("active"), file);
    assert.ok(!svg.includes("currentColor"), file);
  }
  assert.throws(() => trayPictures("<svg/>"));
});

test("an icon container says where its pictures lie", () => {
  const pictures = [{ size: 256, png: Buffer.from("big") }, { size: 16, png: Buffer.from("small") }];
  const windows = ico(pictures);
  assert.equal(windows.readUInt16LE(4), 2);
  assert.equal(windows.readUInt8(6), 0);
  const at = windows.readUInt32LE(22 + 12);
  assert.equal(windows.subarray(at, at + windows.readUInt32LE(22 + 8)).toString(), "small");
  const mac = icns([{ name: "ic08", png: pictures[0].png }]);
  assert.equal(mac.readUInt32BE(4), mac.length);
  assert.equal(mac.subarray(8, 12).toString(), "ic08");
  assert.equal(mac.readUInt32BE(12), 8 + 3);
});

test("a model that is not what it should be is refused", () =>
  inDirectory(async (directory) => {
    const file = join(directory, "m.gguf");
    writeFileSync(file, "abc");
    const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    await mustBe(file, abc);
    await assert.rejects(mustBe(file, starter.sha256), (error) => error instanceof Stop && error.message.includes(abc));
    await assert.rejects(mustBe(join(directory, "missing"), abc), Stop);
  }));

test("a model is put where the application looks, once", () =>
  inDirectory((directory) => {
    const file = join(directory, "m.gguf");
    writeFileSync(file, "abc");
    const goal = place(file, join(directory, "home", "models"));
    assert.equal(goal, join(directory, "home", "models", starter.name));
    assert.equal(readFileSync(goal, "utf8"), "abc");
    assert.equal(place(file, join(directory, "home", "models")), goal);
  }));

test("the starter's package is told to dpkg in its own form", () => {
  const lines = control(98_362_432).split("\n");
  assert.ok(lines.includes("Installed-Size: 96058"));
  assert.ok(lines.slice(0, -1).every((line) => /^([A-Z][A-Za-z-]+: \S| \S)/.test(line)), "a line is neither a field nor goes on with one");
  assert.equal(lines.at(-1), "", "dpkg wants an end of the last line");
});

test("a program is put beside the application whole, and only where it is another one", () =>
  inDirectory((directory) => {
    const [program, beside] = [join(directory, "built"), join(directory, "debug")];
    writeFileSync(program, "one");
    assert.equal(besideTheApp(program, beside), true);
    assert.equal(besideTheApp(program, beside), false);
    writeFileSync(program, "two");
    assert.equal(besideTheApp(program, beside), true);
    assert.deepEqual(readdirSync(beside), [engineName]);
    assert.equal(readFileSync(join(beside, engineName), "utf8"), "two");
  }));

test("the terminal hears of the engine only what concerns a person", () => {
  const first = { isThere: false, ending: false, log: "LOG" };
  assert.match(closingLine({ ready: true, changed: true }, first), /ready/);
  assert.equal(closingLine({ ready: true, changed: false }, { ...first, isThere: true }), undefined);
  assert.match(closingLine({ ready: true, changed: true }, { ...first, isThere: true }), /ready/);
  assert.match(closingLine(undefined, { ...first, ending: true }), /next start/);
  assert.equal(closingLine(undefined, { ...first, ending: true, isThere: true }), undefined);
  assert.match(closingLine({ failed: "No network.\nMore." }, first), /No network\. \(LOG\).*npm run engine$/);
  assert.match(closingLine(undefined, first), /broke off.*npm run engine$/);
});

/** A place where the engine's set-up meets this `python3` instead of the real one; `begin` starts it. */
function withPython(script, body) {
  return inDirectory(async (directory) => {
    const programs = join(directory, "bin");
    mkdirSync(programs);
    writeFileSync(join(programs, "python3"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const env = { PATH: `${programs}:${process.env.PATH}`, XDG_CACHE_HOME: directory, PID_FILE: join(directory, "pid") };
    const options = { programs: join(directory, "debug"), home: join(directory, "home"), log: join(directory, "log") };
    await body({ env, options, runs: () => isAlive(env.PID_FILE) });
  });
}

const hanging = 'sleep 600 & echo $! > "$PID_FILE.new" && mv "$PID_FILE.new" "$PID_FILE"; wait';

/** Whether the process in this file lives; undefined where there is no such file yet. */
function isAlive(file) {
  if (!existsSync(file)) return undefined;
  try {
    return process.kill(Number(readFileSync(file, "utf8")), 0);
  } catch {
    return false;
  }
}

async function until(look) {
  for (const deadline = Date.now() + 30_000; !look(); await pause(20)) assert.ok(Date.now() < deadline, "not in time");
}

/** Begins in this process, whose environment is what it was afterwards. */
function beginWith(env, options) {
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    return beginEngine(options);
  } finally {
    for (const name of Object.keys(env)) {
      if (name in before) process.env[name] = before[name];
      else delete process.env[name];
    }
  }
}

test("what builds the engine ends with the application, down to the last program", () =>
  withPython(hanging, async ({ env, options, runs }) => {
    const said = [];
    const engine = beginWith(env, { ...options, say: (line) => said.push(line) });
    await until(() => runs());
    await engine.end();
    await until(() => runs() === false);
    assert.equal(said.length, 2);
    assert.match(said[1], /next start goes on/);
    await engine.end();
  }));

test("what builds the engine ends also where its starter was killed", () =>
  withPython(hanging, async ({ env, options, runs }) => {
    const script = `import { beginEngine } from ${JSON.stringify(new URL("engine_behind.mjs", import.meta.url))};
      beginEngine(${JSON.stringify(options)});`;
    const parent = spawn(process.execPath, ["--input-type=module", "--eval", script], { env: { ...process.env, ...env } });
    await until(() => runs());
    parent.kill("SIGKILL");
    await until(() => runs() === false);
  }));

test("a starter model that cannot be fetched is told in one line, and in the log", () =>
  withPython("echo no route >&2; exit 1", async ({ env, options }) => {
    const said = [];
    await beginWith(env, { ...options, say: (line) => said.push(line) }).over;
    assert.equal(said.length, 2);
    assert.match(said[1], /could not fetch the starter model.*Is there a network\? .*npm run engine$/);
    assert.match(readFileSync(options.log, "utf8"), /no route/);
  }));
