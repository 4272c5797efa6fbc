// @vitest-environment jsdom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CallError } from "../../bridge/bridge";
import type { Block, Inline } from "../../bridge/wire";
import { makeStage } from "../../testing/stage";
import { Blocks } from "./Blocks";
import { openable, selfContained } from "./url";

afterEach(cleanup);

const link = (url: string, words: string, mismatch = false): Block => ({
  type: "paragraph",
  inlines: [{ type: "link", url, host: "named.example", mismatch, inlines: [{ type: "text", text: words }] }],
});
const text = (words: string): Inline => ({ type: "text", text: words });

describe("what may be opened", () => {
  it.each([
    ["https://example.invalid/page", "example.invalid"],
    ["http://example.invalid:8080/", "example.invalid:8080"],
    ["mailto:a@example.invalid", "a@example.invalid"],
  ])("%s goes to %s", (url, host) => {
    expect(openable(url)).toMatchObject({ host, disguised: false });
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "\u0001javascript:alert(1)",
    "data:text/html,<script>1</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "vscode://file/etc/passwd",
    "smb://127.0.0.1/x",
    "tauri://localhost/x",
    "blob:https://example.invalid/1",
    "about:blank",
    "./settings",
    "/index.html",
    "//example.invalid/x",
    "#x",
    "",
    "https://",
  ])("%j goes nowhere", (url) => {
    expect(openable(url)).toBeNull();
  });

  it("sees through a name before the host, and through foreign letters", () => {
    expect(openable("https://bank.example@evil.example/")).toMatchObject({ host: "evil.example", disguised: true });
    expect(openable("https://xn--pple-43d.example/")).toMatchObject({ disguised: true });
    expect(openable("https://www.\u0430pple.example/")).toMatchObject({ disguised: true });
  });

  it("lets only pictures carry their own bytes", () => {
    expect(selfContained("data:image/png;base64,iVBORw0=")).toBe(true);
    expect(selfContained("data:image/svg+xml;base64,PHN2Zz4=")).toBe(false);
    expect(selfContained("data:text/html;base64,PHN2Zz4=")).toBe(false);
  });
});

describe("links", () => {
  it("open outside by click and Enter, and have no address that the window could follow", () => {
    const stage = makeStage();
    stage.show(<Blocks blocks={[link("https://example.invalid/page", "page")]} />);
    const shown = screen.getByRole("link", { name: "page" });
    expect(shown.hasAttribute("href")).toBe(false);
    fireEvent.click(shown);
    fireEvent.keyDown(shown, { key: "Enter" });
    expect(stage.opened).toEqual(["https://example.invalid/page", "https://example.invalid/page"]);
  });

  it("do nothing on a middle click, and cannot be dragged", () => {
    const stage = makeStage();
    stage.show(<Blocks blocks={[link("https://example.invalid/page", "page")]} />);
    const shown = screen.getByRole("link", { name: "page" });
    expect(fireEvent(shown, new MouseEvent("auxclick", { bubbles: true, cancelable: true, button: 1 }))).toBe(false);
    expect(fireEvent.dragStart(shown)).toBe(false);
    expect(stage.opened).toEqual([]);
  });

  it("with another scheme are words and nothing else", () => {
    const stage = makeStage();
    stage.show(<Blocks blocks={[link("javascript:alert(1)", "press me")]} />);
    expect(screen.queryByRole("link")).toBeNull();
    fireEvent.click(screen.getByText("press me"));
    expect(stage.opened).toEqual([]);
  });

  it("whose words name another host show the real one and ask first", () => {
    const stage = makeStage();
    stage.show(<Blocks blocks={[link("https://evil.example/login", "bank.example", true)]} />);
    expect(screen.getByText("(evil.example)")).toBeTruthy();
    fireEvent.click(screen.getByRole("link"));
    expect(stage.opened).toEqual([]);
    expect(screen.getByText("The link goes to https://evil.example/login.")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Open in browser" }));
    expect(stage.opened).toEqual(["https://evil.example/login"]);
    expect(screen.queryByText(/The link goes to/)).toBeNull();
  });

  it.each<[string, () => boolean]>([
    ["Escape", () => fireEvent.keyDown(document.body, { key: "Escape" })],
    ["a press elsewhere", () => fireEvent.pointerDown(document.body)],
  ])("are not followed after %s", (_, dismiss) => {
    const stage = makeStage();
    const others: string[] = [];
    const other = (event: Event) => others.push(event.type);
    window.addEventListener("keydown", other);
    stage.show(<Blocks blocks={[link("https://evil.example/login", "bank.example", true)]} />);
    fireEvent.click(screen.getByRole("link"));
    dismiss();
    window.removeEventListener("keydown", other);
    expect(screen.queryByText(/The link goes to/)).toBeNull();
    expect(others).toEqual([]);
    expect(stage.opened).toEqual([]);
  });
});

describe("images", () => {
  const image = (url: string | null): Block => ({
    type: "paragraph",
    inlines: [{ type: "image", url, host: url === null ? null : "pictures.example", alt: "a chart" }],
  });

  /** jsdom draws nothing, so a test says how large an image is. */
  const drawable = (decode: () => Promise<void>) => {
    vi.stubGlobal(
      "Image",
      class {
        src = "";
        naturalWidth = 320;
        naturalHeight = 160;
        decode = decode;
      },
    );
  };
  afterEach(() => vi.unstubAllGlobals());
  const png = { mime: "image/png", base64: "iVBORw0=" };

  it("are not fetched before somebody asks for that one, and then once, by the gateway", async () => {
    drawable(() => Promise.resolve());
    let arrive = (): void => undefined;
    const stage = makeStage({ fetch_image: () => new Promise((resolve) => (arrive = () => resolve(png))) });
    const { container } = stage.show(<Blocks blocks={[image("https://pictures.example/a.png"), image("https://pictures.example/b.png")]} />);
    expect(screen.getAllByText("From pictures.example, not loaded")).toHaveLength(2);
    expect(stage.calls).toEqual([]);
    const button = screen.getAllByRole("button", { name: "Load image" })[0] as HTMLElement;
    fireEvent.click(button);
    fireEvent.click(button);
    expect(stage.calls).toEqual([{ command: "fetch_image", params: { url: "https://pictures.example/a.png" } }]);
    expect(container.querySelectorAll("img")).toHaveLength(0);
    expect(screen.getByText("Loading from pictures.example")).toBeTruthy();
    arrive();
    const shown = await screen.findByRole("img");
    expect(["src", "width", "height"].map((name) => shown.getAttribute(name))).toEqual(["data:image/png;base64,iVBORw0=", "320", "160"]);
    expect(screen.getAllByRole("button", { name: "Load image" })).toHaveLength(1);
  });

  it.each<[string, () => Promise<{ mime: string; base64: string }>, RegExp]>([
    ["refused", () => Promise.reject(new CallError("invalid_request", "It answered with a web page.")), /gave no image: It answered with a web page\.$/],
    ["a-document", () => Promise.resolve({ mime: "image/svg+xml", base64: "PHN2Zz4=" }), /gave no image: image\/svg\+xml$/],
    ["broken", () => Promise.resolve({ mime: "image/png", base64: "AAAA" }), /gave no image: broken$/],
  ])("that are %s say so in place and can be tried again", async (name, answer, words) => {
    drawable(() => Promise.reject(new Error("broken")));
    const stage = makeStage({ fetch_image: answer });
    const { container } = stage.show(<Blocks blocks={[image(`https://pictures.example/${name}.png`)]} />);
    fireEvent.click(screen.getByRole("button", { name: "Load image" }));
    expect(await screen.findByText(words)).toBeTruthy();
    expect(container.querySelector("img")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(stage.calls).toHaveLength(2);
    await screen.findByText(words);
  });

  it.each([null, "file:///etc/passwd", "javascript:1"])("from %j offer nothing to load", (url) => {
    makeStage().show(<Blocks blocks={[image(url)]} />);
    expect(screen.queryByRole("button")).toBeNull();
  });

  it("with their own bytes are shown", () => {
    const { container } = makeStage().show(<Blocks blocks={[image("data:image/png;base64,iVBORw0=")]} />);
    expect(container.querySelector("img")).not.toBeNull();
  });
});

describe("blocks", () => {
  it("show markup as words, in every place where words can stand", () => {
    const markup = '<img src=x onerror="window.bad=1"><script>window.bad=2</script>';
    const blocks: Block[] = [
      { type: "paragraph", inlines: [text(markup), { type: "code", text: markup }, { type: "strong", inlines: [text(markup)] }] },
      { type: "heading", level: 1, inlines: [text(markup)] },
      { type: "code", language: markup, text: markup },
      { type: "plain", text: markup },
      { type: "list", start: null, items: [{ checked: false, blocks: [{ type: "plain", text: markup }] }] },
      { type: "table", align: ["right"], head: [[text(markup)]], rows: [[[text(markup)]]] },
    ];
    const { container } = makeStage().show(<Blocks blocks={blocks} />);
    expect(container.querySelectorAll("img, script, iframe, form, style")).toHaveLength(0);
    expect(container.textContent?.split(markup)).toHaveLength(11);
  });

  it("copy code exactly", async () => {
    const copied: string[] = [];
    Object.defineProperty(navigator, "clipboard", {
      configurable: true,
      value: { writeText: (words: string) => Promise.resolve(copied.push(words)) },
    });
    makeStage().show(<Blocks blocks={[{ type: "code", language: "sh", text: "npm run -- --to 42\n" }]} />);
    fireEvent.click(screen.getByRole("button", { name: "Copy" }));
    expect(await screen.findByText("Copied")).toBeTruthy();
    expect(copied).toEqual(["npm run -- --to 42\n"]);
  });

  it("tell ordered lists, their first number and task boxes", () => {
    const entry = (words: string, checked: boolean | null) => ({ checked, blocks: [{ type: "plain", text: words } as Block] });
    const { container } = makeStage().show(
      <Blocks
        blocks={[
          { type: "list", start: 3, items: [entry("three", null)] },
          { type: "list", start: null, items: [entry("yes", true), entry("no", false)] },
        ]}
      />,
    );
    expect(container.querySelector("ol")?.start).toBe(3);
    expect(screen.getByRole("checkbox", { name: "Done" })).toHaveProperty("checked", true);
    expect(screen.getByRole("checkbox", { name: "Not done" })).toHaveProperty("checked", false);
  });

  it("stop at a depth that no person writes", () => {
    let block: Block = { type: "plain", text: "deep" };
    for (let depth = 0; depth < 5000; depth += 1) block = { type: "quote", blocks: [block] };
    const { container } = makeStage().show(<Blocks blocks={[block]} />);
    expect(container.querySelectorAll("blockquote").length).toBeLessThan(30);
  });

  it("are not drawn again while they keep their identity", () => {
    let reads = 0;
    const settled: Block = {
      type: "paragraph",
      get inlines(): Inline[] {
        reads += 1;
        return [text("settled")];
      },
    };
    const stage = makeStage();
    const { rerender } = stage.show(<Blocks blocks={[settled, { type: "plain", text: "gr" }]} />);
    const before = reads;
    rerender(<Blocks blocks={[settled, { type: "plain", text: "grows" }]} />);
    expect(reads).toBe(before);
    expect(screen.getByText("grows")).toBeTruthy();
  });
});
