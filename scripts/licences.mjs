// What others wrote and Gatehouse ships: every Rust crate that is linked in, the C++ library of the embedded engine, every
// npm package of the window's pages, both fonts. `node scripts/licences.mjs FILE` writes them down with their texts, and refuses a licence it does not know.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { engineManifest } from "./engine.mjs";
import { childEnv, features, top } from "./env.mjs";
import { main, Stop } from "./run.mjs";
import { isAllowed } from "./licences_rule.mjs";

const licenceFile = /^(licen[cs]e|copying|notice|copyright|unlicense)/i;

/** Every package: `{ name, version, licence, source, texts }`. */
export function thirdParty() {
  const engine = linkedCrates(engineManifest, []);
  const rust = [...linkedCrates(join(top, "Cargo.toml"), ["-p", "gatehouse", "-p", "gatehouse-process", ...features]), ...engine];
  return [rustLibrary(), ...once(rust).map(described), computingLibrary(engine), ...npmPackages()];
}

/** Programs share crates. */
const once = (crates) => [...new Map(crates.map((crate) => [`${crate.name} ${crate.version}`, crate])).values()];

/** What the linker takes from the compiler itself. */
function rustLibrary() {
  const directory = join(printed("rustc", ["--print", "sysroot"]), "share", "doc", "rust", "licenses");
  const wanted = ["MIT.txt", "Apache-2.0.txt", "LLVM-exception.txt", "Unicode-3.0.txt"];
  return {
    name: "The Rust standard library",
    version: printed("rustc", ["--version"]).split(" ")[1],
    licence: "(MIT OR Apache-2.0) AND Unicode-3.0",
    source: "https://github.com/rust-lang/rust",
    texts: entries(directory).filter((name) => wanted.includes(name)).map((name) => textOf(join(directory, name))),
  };
}

/** What cargo knows of crates in a workspace's programs. What only runs in the compiler is not shipped: macros, build scripts. */
function linkedCrates(manifest, shipped) {
  const host = /^host: (.*)$/m.exec(printed("rustc", ["-vV"]))[1];
  const there = ["--locked", "--manifest-path", manifest];
  const kinds = ["--edges", "normal,no-proc-macro", "--target", host];
  const tree = printed("cargo", ["tree", ...there, ...shipped, ...kinds, "--prefix", "none", "--format", "{p}"]);
  const known = JSON.parse(printed("cargo", ["metadata", ...there, "--format-version", "1", "--filter-platform", host]));
  const linked = namesInTree(tree);
  return known.packages.filter(({ name, version, source }) => source && linked.has(`${name} ${version}`));
}

const described = ({ name, version, license, license_file, repository, homepage, authors, manifest_path }) => ({
  name,
  version,
  licence: license ?? license_file,
  source: repository ?? homepage ?? (authors.join(", ") || "no repository stated"),
  texts: textsIn(dirname(manifest_path)),
});

/** The C++ library inside one of the crates, and in it a file of other authors. */
function computingLibrary(crates) {
  const { name, version, manifest_path: manifest } = crates.find(({ name }) => name === "llama-cpp-sys-2");
  const directory = join(dirname(manifest), "llama.cpp");
  const borrowed = readFileSync(join(directory, "ggml/src/ggml-cpu/llamafile/sgemm.cpp"), "utf8");
  return {
    name: "llama.cpp and ggml",
    version: `of ${name} ${version}`,
    licence: "MIT",
    source: "https://github.com/ggml-org/llama.cpp",
    texts: [...textsIn(directory), headOf(borrowed)],
  };
}

/** The comment that a file begins with. */
export function headOf(text) {
  const [head] = /^(\/\/.*\n)+/.exec(text);
  return head.replace(/^\/\/ ?/gm, "").trim();
}

/** "name v1.2.3 (somewhere) (*)", a line each, and empty lines between the trees. */
export function namesInTree(tree) {
  const lines = [...tree.matchAll(/^(\S+) v(\S+)/gm)];
  return new Set(lines.map(([, name, version]) => `${name} ${version}`));
}

/** The lock file knows which packages are there for more than building and testing. */
function npmPackages() {
  const { packages } = JSON.parse(readFileSync(join(top, "package-lock.json"), "utf8"));
  return Object.entries(packages)
    .filter(([path, about]) => path.startsWith("node_modules/") && !about.dev && !about.devOptional && !about.link)
    .map(([path, { version, license }]) => ({
      name: path.replace(/^.*node_modules\//, ""),
      version,
      licence: license,
      source: repositoryOf(JSON.parse(readFileSync(join(top, path, "package.json"), "utf8"))),
      texts: textsIn(join(top, path)),
    }));
}

const repositoryOf = ({ repository, homepage }) => (repository?.url ?? repository ?? homepage ?? "").replace(/^git\+/, "");

function textsIn(directory) {
  const files = entries(directory).filter((name) => licenceFile.test(name));
  return files.map((name) => join(directory, name)).filter((file) => statSync(file).isFile()).map(textOf);
}

const textOf = (file) => readFileSync(file, "utf8").replaceAll("\r\n", "\n").trim();

function entries(directory) {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return [];
  }
}

function printed(program, args) {
  // What cargo says about a workspace takes several megabytes.
  const asked = spawnSync(program, args, { cwd: top, env: childEnv(), encoding: "utf8", maxBuffer: 256 << 20 });
  if (asked.status === 0) return asked.stdout.trim();
  throw new Stop(`${[program, ...args].join(" ")}: ${asked.error?.message ?? asked.stderr}`);
}

/** The whole text, or a `Stop` that names what may not be shipped. */
export function licencesText(packages) {
  const refused = packages.filter(({ licence }) => !isAllowed(licence));
  if (refused.length > 0) {
    const list = refused.map(({ name, version, licence }) => `  ${name} ${version}: ${licence ?? "none stated"}`);
    throw new Stop(`These licences are not on the list of scripts/licences_rule.mjs:\n${list.join("\n")}`);
  }
  return `${[heading, ...packages.map(line), "", ...sharedTexts(packages)].join("\n")}\n`;
}

const heading = `Gatehouse is built from its own code and from the packages below. Each line has the package, its version, its licence
and where its source is. The texts that came with the packages follow; one that several brought stands once. A package
whose authors ship no text is marked with a star: the text of its licence stands with other packages.
`;

const line = ({ name, version, licence, source, texts }) =>
  `${texts.length > 0 ? "-" : "*"} ${name} ${version}, ${licence}${source ? `, ${source}` : ""}`;

/** Each different text once, with the packages that it belongs to. */
function sharedTexts(packages) {
  const owners = new Map();
  for (const { name, version, texts } of packages) {
    for (const text of texts) {
      // Line breaks and indents differ between copies of one text.
      const key = text.replace(/\s+/g, " ");
      const known = owners.get(key) ?? { text, names: [] };
      known.names.push(`${name} ${version}`);
      owners.set(key, known);
    }
  }
  const rule = "=".repeat(80);
  return [...owners.values()].map(({ text, names }) => `${rule}\n${names.join(", ")}\n${rule}\n\n${text}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(([file]) => {
    if (!file) throw new Stop("Where to? node scripts/licences.mjs FILE");
    const packages = thirdParty();
    writeFileSync(file, licencesText(packages));
    console.log(`${packages.length} packages: ${file}`);
  });
}
