// Rules of the window's looks that can be measured. Each function runs in the page and answers what breaks its rule.

/** What an element is called in a report. */
const NAMING = `
  const name = (node) => {
    const words = (node.textContent ?? "").trim().replaceAll(/\\s+/g, " ").slice(0, 40);
    return node.tagName.toLowerCase() + (typeof node.className === "string" && node.className !== "" ? "." + node.className.trim().replaceAll(/\\s+/g, ".") : "") + " " + JSON.stringify(words);
  };
  const seen = (node) => {
    const { width, height } = node.getBoundingClientRect();
    return width > 1 && height > 1 && node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && node.closest(".hidden, .live-region") === null;
  };
  const words = function* () {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walk.nextNode(); text !== null; text = walk.nextNode()) {
      if (text.nodeValue.trim() !== "" && text.parentElement !== null && seen(text.parentElement)) yield text;
    }
  };
  const resolve = (value) => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = value;
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  };
  const token = (key) => resolve(getComputedStyle(document.documentElement).getPropertyValue(key).trim());
`;

/** Makes a rule that runs in a page with the words above. */
function rule(body) {
  return (page) => page.evaluate(`(() => { ${NAMING} ${body} })()`);
}

/** Text below 11 px. */
export const smallText = rule(`
  return [...words()].filter((text) => parseFloat(getComputedStyle(text.parentElement).fontSize) < 11).map((text) => name(text.parentElement));
`);

/** Whatever is drawn in a colour that says "a person is needed". A program's own output is free. */
export const amber = rule(`
  const lamp = new Set(["--need", "--need-bg", "--need-line", "--need-lamp"].map(token));
  const drawn = (style) => [
    style.color,
    style.backgroundColor,
    style.fill,
    style.stroke,
    ...["Top", "Right", "Bottom", "Left"].filter((side) => parseFloat(style["border" + side + "Width"]) > 0).map((side) => style["border" + side + "Color"]),
  ];
  return [...document.querySelectorAll("#root *")]
    .filter((node) => seen(node) && node.closest(".term, .output") === null && drawn(getComputedStyle(node)).some((colour) => lamp.has(colour)))
    .map(name);
`);

/** The ink buttons that can be pressed: what lies under an overlay is not in the view. */
export const inkButtons = rule(`
  const ink = token("--ink");
  return [...document.querySelectorAll("button:not([role=switch], [role=radio], [role=checkbox])")]
    .filter((node) => {
      if (!seen(node) || getComputedStyle(node).backgroundColor !== ink) return false;
      const { left, top, width, height } = node.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      return hit !== null && node.contains(hit);
    })
    .map(name);
`);

/** What makes the page scroll sideways, or stands outside of it. Code, tables and output scroll inside their own box. */
export const sideways = rule(`
  const scrolls = (node) => ["auto", "scroll"].includes(getComputedStyle(node).overflowX);
  const own = "pre, table, .term, .output, textarea, input, .code, [data-scrolls]";
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const boxes = [...document.querySelectorAll("#root *")].filter((node) => seen(node) && node.closest("svg *") === null);
  const free = (node) => {
    for (let at = node.parentElement; at !== null; at = at.parentElement) {
      if (at.matches(own) || (at.querySelector(":scope > pre, :scope > table") !== null && scrolls(at))) return false;
    }
    return true;
  };
  const inner = boxes.filter((node) => scrolls(node) && !node.matches(own) && node.querySelector(":scope > pre, :scope > table") === null && free(node) && node.scrollWidth > node.clientWidth + 1);
  const outside = boxes.filter((node) => {
    if (!node.matches("button, input, select, textarea, a, h1, h2, h3, p, dt, dd, label, [role=option]") || !free(node)) return false;
    const { left, right } = node.getBoundingClientRect();
    return left < -1 || right > innerWidth + 1;
  });
  return [...(wide > 0 ? ["the page by " + wide + " px"] : []), ...inner.map((node) => "inside " + name(node)), ...outside.map((node) => "outside " + name(node))];
`);

/** Words that are cut off without being told so: no ellipsis, no way to scroll. */
export const clipped = rule(`
  return [...document.querySelectorAll("button, h1, h2, label, p")]
    .filter((node) => seen(node) && node.closest(".term, .output") === null)
    .filter((node) => getComputedStyle(node).overflowX === "hidden" && getComputedStyle(node).textOverflow !== "ellipsis" && node.scrollWidth > node.clientWidth + 1)
    .map(name);
`);

/** Makes every text of the window 40 % longer, as another language would. What people and programs wrote stays. */
export const widen = rule(`
  const theirs = "pre, code, .mono, .term, .output, textarea, kbd, .item-row [data-author=human], .prose";
  for (const text of [...words()]) {
    if (text.parentElement.closest(theirs) !== null || text.nodeValue.endsWith("\\u00e4")) continue;
    const more = Math.ceil(text.nodeValue.trim().length * 0.4);
    text.nodeValue = text.nodeValue.trimEnd() + " " + "\\u00e4".repeat(Math.max(1, more - 1));
  }
`);

/** In the system's own colours: words and signs that cannot be told from what is behind them, and choices without an edge. */
export const vanished = rule(`
  const parse = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const clear = (colour) => parse(colour).length === 4 && parse(colour)[3] === 0;
  const light = (colour) => {
    const [r, g, b] = parse(colour).map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (let at = node; at !== null; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!clear(colour)) return colour;
    }
    return resolve("Canvas");
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const texts = [...words()].map((text) => text.parentElement).filter((node) => ratio(getComputedStyle(node).color, behind(node)) < 2);
  const signs = [...document.querySelectorAll("#root svg, dialog svg")].filter((node) => {
    if (!seen(node)) return false;
    const parts = [node, ...node.querySelectorAll("*")].map((part) => getComputedStyle(part));
    const inks = parts.flatMap((style) => [style.stroke, style.fill]).filter((colour) => colour !== "none" && !clear(colour));
    return !inks.some((colour) => ratio(colour, behind(node.parentElement)) >= 2);
  });
  const choices = [...document.querySelectorAll("[aria-selected=true], [aria-current=true], [aria-current=page]")].filter((node) => {
    if (!seen(node)) return false;
    const style = getComputedStyle(node);
    const edge = (width, kind) => parseFloat(width) > 0 && kind !== "none";
    const edged = edge(style.outlineWidth, style.outlineStyle) || edge(style.borderTopWidth, style.borderTopStyle) || edge(style.borderBottomWidth, style.borderBottomStyle);
    return !edged && (clear(style.backgroundColor) || ratio(style.backgroundColor, behind(node.parentElement)) < 1.2);
  });
  return [...texts.map((node) => "words " + name(node)), ...signs.map((node) => "sign in " + name(node.parentElement)), ...choices.map((node) => "choice " + name(node))];
`);

/** What would move although the person asked for stillness. */
export const moving = rule(`
  const seconds = (list) => list.split(",").map((part) => parseFloat(part));
  return [...document.querySelectorAll("#root *")]
    .filter((node) => {
      const style = getComputedStyle(node);
      const turns = style.animationName !== "none" && seconds(style.animationDuration).some((each) => each > 0.01);
      const slides = seconds(style.transitionDuration).some((each) => each > 0.01);
      return turns || slides;
    })
    .map(name);
`);
