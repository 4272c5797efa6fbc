// Images that a person has asked for. The gateway fetches them, this window never does; what was fetched is kept for a
// while, so that a row which scrolls out of sight and back does not have to be asked for again.
import { useSyncExternalStore } from "react";
import { asCallError, type Bridge } from "../../bridge/bridge";
import { selfContained } from "./url";

/** More are not kept: each may have some megabytes. */
const KEPT = 8;

/** How it stands with one image. */
export type Picture =
  | { readonly kind: "asked" }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "here"; readonly url: string; readonly width: number; readonly height: number };

let pictures: ReadonlyMap<string, Picture> = new Map();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function put(address: string, picture: Picture): void {
  const rest = [...pictures].filter(([known]) => known !== address).slice(1 - KEPT);
  pictures = new Map([...rest, [address, picture]]);
  for (const listener of listeners) listener();
}

/** How it stands with the image of an address; nothing while nobody asked for it. */
export function usePicture(address: string | null): Picture | undefined {
  return useSyncExternalStore(subscribe, () => (address === null ? undefined : pictures.get(address)));
}

/** Asks for one image, once. */
export async function fetchPicture(bridge: Bridge, address: string): Promise<void> {
  if (pictures.get(address)?.kind === "asked") return;
  put(address, { kind: "asked" });
  try {
    const { mime, base64 } = await bridge.call("fetch_image", { url: address });
    const url = `data:${mime};base64,${base64}`;
    if (!selfContained(url)) throw new Error(mime);
    put(address, { kind: "here", url, ...(await measure(url)) });
  } catch (reason) {
    put(address, { kind: "failed", reason: asCallError(reason).message });
  }
}

/** How large it is, before it stands anywhere: its box must not jump. */
async function measure(url: string): Promise<{ width: number; height: number }> {
  const image = new Image();
  image.src = url;
  await image.decode();
  return { width: image.naturalWidth, height: image.naturalHeight };
}
