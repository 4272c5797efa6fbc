// What a model is called in short, and whether it is the small one that comes along.

/** The part that tells it from others: the name after its provider, or the file's without its folders. */
export function shortModel(model: string): string {
  return model.slice(model.lastIndexOf("/") + 1);
}

/** Whether it is the starter: `chatOnly` tells it from another provider's model of that name. */
export function isStarter(model: string, chatOnly: boolean | null | undefined): boolean {
  return chatOnly === true && shortModel(model) === "starter";
}
