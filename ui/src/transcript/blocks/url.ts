// What may leave the window, decided once more on this side of the wire.

/** What a link's address tells before anybody follows it. */
export interface Target {
  /** The address as it will be opened. */
  url: string;
  /** The host it really goes to, or the mail address. */
  host: string;
  /** It carries a name before an `@`, or a host of foreign letters: both can pass for another host. */
  disguised: boolean;
}

const OPENABLE = new Set(["http:", "https:", "mailto:"]);

/** The target of an address that may be opened; nothing for every other scheme and for what is no address. */
export function openable(address: string): Target | null {
  const url = parse(address);
  if (url === null || !OPENABLE.has(url.protocol)) return null;
  if (url.protocol === "mailto:") return { url: url.href, host: url.pathname, disguised: false };
  const foreign = url.hostname.split(".").some((label) => label.startsWith("xn--"));
  return { url: url.href, host: url.host, disguised: foreign || url.username !== "" || url.password !== "" };
}

/** Whether an image may be fetched from here once a person asks for it. */
export function fetchable(address: string | null): boolean {
  const url = address === null ? null : parse(address);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}

/** Whether an image carries its own bytes, so that showing it asks nobody. SVG is left out: it is a document. */
export function selfContained(address: string | null): boolean {
  return address !== null && /^data:image\/(png|jpeg|gif|webp);base64,/i.test(address);
}

function parse(address: string): URL | null {
  // No base address: "settings" and "/index.html" would otherwise become addresses of this very window.
  return URL.canParse(address) ? new URL(address) : null;
}
