// What must be true of a package before anybody installs it. Read from the archive itself.
import { ask, Stop } from "./run.mjs";

/** Throws a `Stop` that names what is wrong. */
export function checkDeb(deb) {
  const listing = ask("dpkg-deb", ["--contents", deb]);
  if (listing === undefined) throw new Stop(`dpkg-deb cannot read ${deb}.`);
  const wrong = [...wrongEntries(listing), ...missingEntries(listing), ...maintainerScripts(deb)];
  if (wrong.length > 0) throw new Stop(["The package is not fit to be installed:", ...wrong].join("\n  "));
}

const wanted = [
  "/usr/bin/gatehouse",
  "/usr/bin/gatehouse-shim",
  "/usr/share/applications/gatehouse.desktop",
  "/usr/share/doc/gatehouse/THIRD-PARTY-LICENSES.txt",
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

export function missingEntries(listing) {
  const paths = new Set(entriesOf(listing).map(({ path }) => path));
  return wanted.filter((path) => !paths.has(path)).map((path) => `${path}: missing`);
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
