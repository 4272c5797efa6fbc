// Characters that cannot be seen can turn one command into another before a person's eyes. Here they are written out.
// The gateway does the same to the command; this window trusts nobody's words about themselves.

/**
 * Controls, marks of direction, joiners, tags, variants, and blanks that are no space; a line end and a tab are what they
 * seem.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}\u2800\u115f\u1160\u3164\uffa0]|(?! )\p{Zs}/gu;

/** The same words, with everything that cannot be seen as `\u202E`. */
export function visible(words: string): string {
  return words.replace(UNSEEN, (mark) => (mark === "\n" || mark === "\t" ? mark : written(mark)));
}

function written(mark: string): string {
  const code = mark.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}
