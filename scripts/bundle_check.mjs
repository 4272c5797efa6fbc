// What must be true of a package before anybody installs it. Read from the archive itself.
import { starter } from "./model.mjs";
import { ask, Stop } from "./run.mjs";
import { starterPackage } from "./starter_deb.mjs";

/** Throws a `Stop` that names what is wrong with the application's package. */
export function checkDeb(deb) {
  refuse(deb, [...wrongArchive(deb, wanted), ...wrongFields(fieldsOf(deb)), ...wrongLicences(textIn(deb, licencesFile))]);
}

/** The same for the package with the starter model. */
export function checkStarter(deb) {
  const documents = `/usr/share/doc/${starterPackage}/copyright`;
  refuse(deb, wrongArchive(deb, [`/usr/share/gatehouse/models/${starter.name}`, documents]));
}

function refuse(deb, wrong) {
  if (wrong.length > 0) throw new Stop([`${deb} is not fit to be installed:`, ...wrong].join("\n  "));
}

function wrongArchive(deb, paths) {
  const listing = ask("dpkg-deb", ["--contents", deb]);
  if (listing === undefined) throw new Stop(`dpkg-deb cannot read ${deb}.`);
  return [...wrongEntries(listing), ...missingEntries(listing, paths), ...maintainerScripts(deb)];
}

const licencesFile = "/usr/share/doc/gatehouse/THIRD-PARTY-LICENSES.txt";

export const wanted = [
  "/usr/bin/gatehouse",
  "/usr/bin/gatehouse-engine",
  "/usr/bin/gatehouse-shim",
  "/usr/share/applications/gatehouse.desktop",
  licencesFile,
  "/usr/share/doc/gatehouse/copyright",
  "/usr/share/icons/hicolor/scalable/apps/gatehouse.svg",
  "/usr/share/metainfo/org.gatehouse.desktop.metainfo.xml",
];

/** Entries that are not root's, or have another mode than directories, programs and files of a system have. */
export function wrongEntries(listing) {
  const fit = (mode, path) =>
    mode === (mode.startsWith("d") ? "drwxr-xr-x" : path.startsWith("/usr/bin/") ? "-rwxr-xr-x" : "-rw-r--r--");
  return entriesOf(listing)
    .filter(({ mode, owner, path }) => !["root/root", "0/0"].includes(owner) || !fit(mode, path))
    .map(({ mode, owner, path }) => `${path}: ${mode} of ${owner}`);
}

export function missingEntries(listing, paths) {
  const there = new Set(entriesOf(listing).map(({ path }) => path));
  return paths.filter((path) => !there.has(path)).map((path) => `${path}: missing`);
}

/** The engine is C++, and the starter model a package that the app gets along without. */
export function wrongFields({ depends, recommends }) {
  const wrong = [];
  if (!/\blibstdc\+\+6 \(>= \d/.test(depends)) wrong.push("Depends: no version of libstdc++6");
  if (!recommends.split(/,\s*/).includes(starterPackage)) wrong.push(`Recommends: not ${starterPackage}`);
  if (depends.includes(starterPackage)) wrong.push(`Depends: ${starterPackage} is not in every archive`);
  return wrong;
}

function fieldsOf(deb) {
  const field = (name) => ask("dpkg-deb", ["--field", deb, name]) ?? "";
  return { depends: field("Depends"), recommends: field("Recommends") };
}

/** One package of each kind that is linked in: Rust, the window's pages, C++. */
export function wrongLicences(text) {
  const lines = [/^. tauri /m, /^. react /m, /^. llama-cpp-2 /m, /^. llama\.cpp and ggml /m, /The ggml authors/];
  return lines.filter((line) => !line.test(text)).map((line) => `${licencesFile}: nothing like ${line}`);
}

function textIn(deb, file) {
  const extract = 'dpkg-deb --fsys-tarfile "$1" | tar --extract --to-stdout --wildcards "$2"';
  return ask("sh", ["-c", extract, "sh", deb, `*${file.slice(1)}`]) ?? "";
}

/** Archives name the same path as "./usr/bin/", "./usr/bin" or "usr/bin", as their maker likes. */
function entriesOf(listing) {
  const lines = listing.split("\n").map((line) => /^(\S+) +(\S+) +\d+ +\S+ +\S+ (?:\.?\/)?(.*?)\/?$/.exec(line));
  return lines.filter(Boolean).map(([, mode, owner, path]) => ({ mode, owner, path: `/${path}` }));
}

/** Nothing runs when the package comes or goes, so nothing can touch a person's data. */
function maintainerScripts(deb) {
  const scripts = ["preinst", "postinst", "prerm", "postrm"];
  return scripts.filter((name) => ask("dpkg-deb", ["--info", deb, name]) !== undefined).map((name) => `${name}: not allowed`);
}
