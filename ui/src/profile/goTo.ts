// The way to another profile. What was typed here is written down before the page goes.
import { settleDrafts } from "../composer/drafts";
import type { Store } from "../feed/store";

/** Goes there. */
export async function goToProfile(store: Store, name: string): Promise<void> {
  await settleDrafts();
  await store.showProfile(name);
}
