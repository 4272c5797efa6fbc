// What a person does with Gatehouse, done through WebDriver: a command in the background, and its note; a question to the
// embedded engine, and its answer.
import { setTimeout as pause } from "node:timers/promises";
import { Stop } from "./run.mjs";

const limitMs = 60_000;
const answerMs = 180_000; // a small model that does not find an end, on a busy machine
const lookMs = 50; // a page gives no event to somebody outside
const element = "element-6066-11e4-a52e-4f735466cecf"; // the key that the WebDriver standard gives to references
const enterKey = "\uE007";

/** A window of the app under its driver. */
export class Page {
  #session;

  constructor(session) {
    this.#session = session;
  }

  static async open(driver, binary) {
    await until("the driver answers", async () => (await fetch(`${driver}/status`)).ok);
    const wanted = { browserName: "wry", "webkitgtk:browserOptions": { binary, args: [] } };
    const { sessionId } = await command("POST", `${driver}/session`, { capabilities: { alwaysMatch: wanted } });
    return new Page(`${driver}/session/${sessionId}`);
  }

  run(script, ...args) {
    return command("POST", `${this.#session}/execute/sync`, { script, args });
  }

  async find(selector) {
    const found = await command("POST", `${this.#session}/elements`, { using: "css selector", value: selector });
    return found[0]?.[element];
  }

  click(id) {
    return command("POST", `${this.#session}/element/${id}/click`, {});
  }

  type(id, text) {
    return command("POST", `${this.#session}/element/${id}/value`, { text });
  }

  async picture() {
    return Buffer.from(await command("GET", `${this.#session}/screenshot`), "base64");
  }

  close() {
    return command("DELETE", this.#session);
  }
}

/** Runs a command in the background and gives the words of the note that tells how it ended, open. */
export function backgroundJob(page) {
  return orTellThePage(page, async () => {
    await send(page, "!sleep 1; echo from the deb");
    await page.click(await until("the machine note", () => page.find("[data-author=machine] .note-head")));
    return until("its outcome and its output", () => page.run(noteText, "exited 0", "from the deb"));
  });
}

/** Asks something and gives the words of the answer, and how long the first and the last of them took. */
export function chat(page) {
  return orTellThePage(page, async () => {
    await send(page, question);
    const begin = Date.now();
    await until("the first word", () => page.run(answerText, question, ""));
    const firstMs = Date.now() - begin;
    const words = await until("the answer's end", () => page.run(answerText, question, "[data-streaming=false]"), answerMs);
    return { words, firstMs, wholeMs: Date.now() - begin };
  });
}

async function send(page, words) {
  const composer = await until("the composer", () => wayToComposer(page));
  await page.click(composer);
  await page.type(composer, `${words}${enterKey}`);
}

async function orTellThePage(page, body) {
  try {
    return await body();
  } catch (error) {
    throw new Stop(`${error.message}. The page says:\n${await page.run("return document.body.innerText")}`);
  }
}

const question = "Hello! Who are you?";

// What was owed from before may be answered first.
const answerText = `const [question, state] = arguments;
const rows = [...document.querySelectorAll('[data-item-id]')];
const at = rows.findIndex((row) => row.dataset.author === 'human' && row.innerText.includes(question));
const later = at < 0 ? [] : rows.slice(at + 1);
const answer = later.find((row) => row.matches('[data-author=model][data-kind=message]' + state));
return answer?.innerText.trim() || null`;

// The command itself has the words of its output, so the output is looked at alone.
const noteText = `const [outcome, output] = arguments;
const notes = [...document.querySelectorAll('[data-author=machine]')];
return notes.find((note) => note.innerText.includes(outcome)
  && note.querySelector('.note-output')?.innerText.trim() === output)?.innerText ?? null`;

// A new window asks for a model first, then for the first session; both can be gone a moment later.
const onwards = ["[data-testid=first-run-skip]", "[data-testid=first-run-start]", ".transcript-state button.primary"];

async function wayToComposer(page) {
  for (const selector of onwards) {
    const onward = await page.find(selector);
    if (onward) await page.click(onward);
  }
  return page.find("[data-testid=composer]");
}

/** Looks until there is something; what fails meanwhile may work a moment later. It keeps no ended script alive. */
export async function until(what, look, patienceMs = limitMs) {
  const deadline = Date.now() + patienceMs;
  for (let last; ; await pause(lookMs, undefined, { ref: false })) {
    try {
      const found = await look();
      if (found) return found;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Stop(`Not in time: ${what}${last ? ` (${last.message})` : ""}`);
  }
}

async function command(method, url, body) {
  const options = body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const answer = await fetch(url, { method, ...options });
  const { value } = await answer.json();
  if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}
