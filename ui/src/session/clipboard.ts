// Copying what has to be fetched first. An engine that asks for a person's press as the reason of a copy forgets the press
// while one waits, so it is handed the promise where it takes one.

/** Copies a text that is still on its way. */
export async function copyLater(text: Promise<string>): Promise<void> {
  if (typeof ClipboardItem === "undefined") {
    await navigator.clipboard.writeText(await text);
    return;
  }
  const blob = text.then((words) => new Blob([words], { type: "text/plain" }));
  const copied = navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  // A fetch that failed is the cause to be told, not the copy that failed with it.
  await Promise.all([blob, copied]);
}
