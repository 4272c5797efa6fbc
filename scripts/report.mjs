// Reading what the test runners wrote: `{ name, seconds, passed }` for each test.
import { existsSync, readFileSync } from "node:fs";

/** JUnit as nextest writes it: a test that failed has a `failure` or `error` element inside. */
export function reportOfNextest(file) {
  const xml = readFileSync(file, "utf8");
  return [...xml.matchAll(/<testcase ([^>]*?)(\/>|>([\s\S]*?)<\/testcase>)/g)].map(([, attributes, , body = ""]) => ({
    name: `${attribute(attributes, "classname")}::${attribute(attributes, "name")}`,
    seconds: Number(attribute(attributes, "time")),
    passed: !/<(failure|error)\b/.test(body),
  }));
}

function attribute(text, name) {
  return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(text)?.[1] ?? "";
}

/** One line of cargo's own runner, or undefined where it is about something else. */
export function parseLibtestLine(line) {
  const found = /^test (.+?) \.\.\. (ok|FAILED) <([\d.]+)s>$/.exec(line);
  return found ? { name: found[1], passed: found[2] === "ok", seconds: Number(found[3]) } : undefined;
}

/** The JSON report of vitest, which is shaped like Jest's. */
export function reportOfVitest(file) {
  if (!existsSync(file)) return [];
  return JSON.parse(readFileSync(file, "utf8")).testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "passed" || status === "failed")
      .map(({ fullName, duration, status }) => ({
        name: `ui::${fullName}`,
        seconds: (duration ?? 0) / 1000,
        passed: status === "passed",
      })),
  );
}
