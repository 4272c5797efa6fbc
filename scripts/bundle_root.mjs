// A fresh system in a directory: a minimal Debian of this machine's release, and a way to run something inside it.
//
// Everything inside runs in mount and process namespaces of its own. When the first process of such a call ends, the
// kernel ends the others and undoes the mounts, so there is no path on which one of them stays.
import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensurePackages } from "./apt.mjs";
import { cacheDir } from "./env.mjs";
import { ask, finished, must, Stop } from "./run.mjs";

const store = join(cacheDir, "fresh");
const archives = join(store, "archives");
const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"];

// The shell stays and waits, because the first process of a namespace is the one that takes in orphans.
const enter = `set -e
root=$1; user=$2; archives=$3; shift 3
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount --bind "$archives" "$root/var/cache/apt/archives"
chroot --userspec="$user" "$root" "$@" &
wait $!`;

/** Unpacks one and gives its directory. The first time it is made, which takes the network. */
export async function freshRoot() {
  if (process.getuid?.() !== 0) {
    throw new Stop("Trying the package in a fresh system needs root: it makes a system in a directory and mounts in it.");
  }
  await ensurePackages(["fresh"]);
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
  const sources = sourcesOf(aptFiles(), codename);
  if (sources.length === 0) throw new Stop("apt on this machine has no sources for its own release, so there is no mirror.");
  const tarball = await baseOf(codename, sources[0].uri);
  const root = mkdtempSync(join(tmpdir(), "gatehouse-root-"));
  await must("tar", ["--extract", "--numeric-owner", "--file", tarball, "--directory", root]);
  chmodSync(root, 0o755); // it is "/" for an ordinary person inside
  connect(root, sources);
  return root;
}

export function removeRoot(root) {
  // The last process inside may still be on its way out.
  rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** The minimal system as a file, kept for the next time. */
async function baseOf(codename, mirror) {
  const tarball = join(store, `${codename}-${process.arch}.tar`);
  mkdirSync(join(archives, "partial"), { recursive: true });
  if (existsSync(tarball)) return tarball;
  const made = mkdtempSync(join(tmpdir(), "gatehouse-base-"));
  try {
    await must("unshare", [...namespaces, "debootstrap", "--variant=minbase", codename, made, mirror]);
    rmSync(join(made, "var/cache/apt/archives"), { recursive: true });
    mkdirSync(join(made, "var/cache/apt/archives/partial"), { recursive: true });
    await must("tar", ["--create", "--numeric-owner", "--one-file-system", "--file", `${tarball}.new`, "--directory", made, "."]);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  renameSync(`${tarball}.new`, tarball);
  return tarball;
}

/** Names, mirrors and the way to them are this machine's; nothing of it is kept with the base. */
function connect(root, sources) {
  const lines = sources.map(({ uri, suite, components }) => `deb ${uri} ${suite} ${components}\n`);
  writeFileSync(join(root, "etc/apt/sources.list"), lines.join(""));
  const way = (ask("apt-config", ["dump"]) ?? "").split("\n").filter((line) => /^Acquire::(Check-|https?::|Retries)/.test(line));
  writeFileSync(join(root, "etc/apt/apt.conf.d/90host"), way.map((line) => `${line}\n`).join(""), { mode: 0o644 });
  // Nobody minds a half-written system that is thrown away, and waiting for the disk is most of an installation.
  writeFileSync(join(root, "etc/dpkg/dpkg.cfg.d/fresh"), "force-unsafe-io\n");
  for (const file of ["/etc/resolv.conf", "/etc/hosts"]) copyFileSync(file, join(root, file));
}

function aptFiles() {
  const directory = "/etc/apt/sources.list.d";
  const more = existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name)) : [];
  const files = ["/etc/apt/sources.list", ...more].filter((file) => existsSync(file));
  return files.filter((file) => /\.(list|sources)$/.test(file)).map((file) => readFileSync(file, "utf8"));
}

/** `{ uri, suite, components }` of a release, from both forms that apt reads. */
export function sourcesOf(texts, codename) {
  return texts
    .flatMap((text) => [...oneLine(text), ...stanzas(text)])
    .filter(({ suite }) => suite === codename || suite.startsWith(`${codename}-`));
}

function oneLine(text) {
  const lines = [...text.matchAll(/^deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+(.+)$/gm)];
  return lines.map(([, uri, suite, components]) => ({ uri, suite, components: components.trim() }));
}

function stanzas(text) {
  return text.split(/\n\s*\n/).flatMap((stanza) => {
    const field = (name) => new RegExp(`^${name}:[ \\t]*(.*)$`, "im").exec(stanza)?.[1].trim().split(/\s+/) ?? [];
    if (!field("Types").includes("deb") || field("Enabled")[0] === "no") return [];
    const components = field("Components").join(" ");
    return field("URIs").flatMap((uri) => field("Suites").map((suite) => ({ uri, suite, components })));
  });
}

/** Starts a command inside and gives the child; to end it and all that it started, kill the child with SIGKILL. */
export function startInside(root, args, { user = "root", env = {} } = {}) {
  const basic = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8" };
  const command = ["sh", "-c", enter, "sh", root, `${user}:${user}`, archives, ...args];
  const options = { cwd: "/", env: { ...basic, ...env }, stdio: ["ignore", "inherit", "inherit"] };
  const child = spawn("unshare", [...namespaces, ...command], options);
  // unshare itself waits out what a person or a CI sends to stop it.
  const end = () => child.kill("SIGKILL");
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, end);
  child.once("close", () => ["SIGINT", "SIGTERM"].forEach((signal) => process.off(signal, end)));
  return child;
}

/** Runs it to its end. */
export async function mustInside(root, args, options) {
  const child = startInside(root, args, options);
  const code = await finished(child, args[0]);
  if (code !== 0) throw new Stop(`In the fresh system, ${args.join(" ")}: exit code ${code}`);
}
