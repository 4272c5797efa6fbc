// Which licences may be shipped with an Apache-2.0 program, and the expressions that name them.

const allowed = new Set([
  "Apache-2.0",
  "Apache-2.0 WITH LLVM-exception",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "MPL-2.0", // by file: its source is named in the list, and we change nothing in it
  "OFL-1.1", // fonts
  "Unicode-3.0",
  "Unlicense",
  "Zlib",
]);

/** Whether an SPDX expression leaves a choice that is on the list. What cannot be read is not. */
export function isAllowed(expression) {
  // Old manifests write a slash where they mean OR.
  const tokens = (expression ?? "").replaceAll("/", " OR ").match(/[()]|[^\s()]+/g) ?? [];
  const answer = either(tokens);
  return answer && tokens.length === 0;
}

function either(tokens) {
  let answer = both(tokens);
  while (take(tokens, "OR")) answer = both(tokens) || answer;
  return answer;
}

function both(tokens) {
  let answer = one(tokens);
  while (take(tokens, "AND")) answer = one(tokens) && answer;
  return answer;
}

function one(tokens) {
  if (!take(tokens, "(")) {
    const name = tokens.shift();
    return allowed.has(take(tokens, "WITH") ? `${name} WITH ${tokens.shift()}` : name);
  }
  const answer = either(tokens);
  return take(tokens, ")") && answer;
}

function take(tokens, word) {
  if (tokens[0] !== word) return false;
  tokens.shift();
  return true;
}
