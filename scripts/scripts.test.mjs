// What the scripts read and decide, without running the product.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { missingPackages } from "./packages.mjs";
import { parseLibtestLine, reportOfNextest, reportOfVitest } from "./report.mjs";
import { Stop } from "./run.mjs";
import { count, slowest } from "./stage_run.mjs";
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
