// The system packages, in one place: Debian's name and how to see whether the thing is there, whoever installed it.
import { existsSync } from "node:fs";
import { ask, Stop } from "./run.mjs";
import { findProgram } from "./env.mjs";

const program = (...names) => ({
  says: names.length > 1 ? `one of the programs ${names.join(", ")}` : `the program ${names[0]}`,
  present: () => names.some((name) => findProgram(name)),
});
const library = (name) => ({
  says: `the development files of ${name} (pkg-config finds them)`,
  present: () => ask("pkg-config", ["--exists", name]) !== undefined,
});
const font = (family) => ({
  says: `the font ${family}`,
  present: () => Boolean(ask("fc-list", [family, "family"])),
});
// It lies where only root looks.
const ip = { says: "the program ip", present: () => Boolean(findProgram("ip")) || existsSync("/usr/sbin/ip") };
const hasLibclang = () =>
  Boolean(process.env.LIBCLANG_PATH || ask("find", ["/usr/lib", "-name", "libclang.so*", "-o", "-name", "libclang-[0-9]*.so*"]));

const groups = {
  // Any Rust build: SQLite and the TLS library are compiled from C.
  compile: [
    ["build-essential", program("cc")],
    ["pkg-config", program("pkg-config")],
  ],
  window: [
    ["libwebkit2gtk-4.1-dev", library("webkit2gtk-4.1")],
    ["libayatana-appindicator3-dev", library("ayatana-appindicator3-0.1")],
  ],
  // The embedded engine is C++, its interface is read by libclang, and its starter model comes through pip.
  engine: [
    ["cmake", program("cmake")],
    ["clang", program("clang")],
    ["libclang1", { says: "the library libclang", present: hasLibclang }],
    ["python3-pip", { says: "pip for python3", present: () => ask("python3", ["-m", "pip", "--version"]) !== undefined }],
  ],
  tests: [
    ["webkit2gtk-driver", program("WebKitWebDriver")],
    ["xvfb", program("Xvfb")],
    ["xauth", program("xauth")],
    ["dbus-x11", program("dbus-run-session")],
    ["dbus-daemon", program("dbus-daemon")],
    ["dunst", program("dunst")],
    ["fontconfig", program("fc-list")],
    ["fonts-dejavu-core", font("DejaVu Sans")],
    ["chromium", program("chromium", "chromium-browser", "google-chrome")],
    ["imagemagick", program("convert", "magick")],
    ["strace", program("strace")],
    // Sets the clock on the wall of one program.
    ["faketime", program("faketime")],
    ["procps", program("ps")],
    // Plays the person's systemd; the system's own Python has it, where another one comes first.
    ["python3-dbusmock", { says: "the module dbusmock of /usr/bin/python3", present: () => ask("/usr/bin/python3", ["-c", "import dbusmock"]) !== undefined }],
    // The engine's tests cut their network off.
    ["util-linux", program("unshare")],
    ["iproute2", ip],
  ],
  // A small system in a directory, to install the package in.
  fresh: [
    ["debootstrap", program("debootstrap")],
    ["util-linux", program("unshare")],
    ["iproute2", ip],
  ],
};

/** What is missing of these groups: `{ debian, says }` each. */
export function missingPackages(names) {
  return names
    .flatMap((name) => {
      if (!groups[name]) throw new Stop(`There is no package group ${name}.`);
      return groups[name];
    })
    .filter(([, probe]) => !probe.present())
    .map(([debian, probe]) => ({ debian, says: probe.says }));
}
