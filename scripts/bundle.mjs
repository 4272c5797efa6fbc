// `npm run bundle`: the package that people install, for this machine's kind of system. With `--try` it is then installed
// and used in a fresh system (scripts/bundle_try.mjs). What follows goes to `tauri build`.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkDeb } from "./bundle_check.mjs";
import { tryDeb } from "./bundle_try.mjs";
import { targetDir, top } from "./env.mjs";
import { licencesText, thirdParty } from "./licences.mjs";
import { ask, main, must, Stop } from "./run.mjs";
import { setUp } from "./setup.mjs";

/** The programs that the app finds beside its own executable: a package of the workspace and its program. */
const companions = [{ package: "gatehouse-process", program: "gatehouse-shim" }];

const profile = "dist";
const outDir = join(targetDir, profile);
const staging = join(outDir, "packaging");

await main(async (args) => {
  const trying = args.includes("--try");
  // Files get the modes of an ordinary system, whoever builds.
  process.umask(0o022);
  await setUp();
  mkdirSync(staging, { recursive: true });
  const licences = join(staging, "THIRD-PARTY-LICENSES.txt");
  writeFileSync(licences, licencesText(thirdParty()));
  await buildCompanions();
  const bundler = ["--no-install", "tauri", "build", "--ci", "--bundles", "deb", "--config", JSON.stringify(overlay(licences))];
  await must("npx", [...bundler, ...args.filter((arg) => arg !== "--try"), "--", "--profile", profile]);
  const deb = newestDeb();
  checkDeb(deb);
  const installed = ask("dpkg-deb", ["--field", deb, "Installed-Size"]) / 1000;
  console.log(`\n${deb}\n${(statSync(deb).size / 1e6).toFixed(1)} MB, ${installed.toFixed(1)} MB installed`);
  return trying ? tryDeb(deb) : 0;
});

/** The bundler looks for them under names that end in the machine they are for. */
async function buildCompanions() {
  for (const { package: name, program } of companions) {
    await must("cargo", ["build", "--locked", "--profile", profile, "-p", name, "--bin", program]);
    copyFileSync(join(outDir, program), `${join(staging, program)}-${hostTriple()}`);
  }
}

function hostTriple() {
  return /^host: (.*)$/m.exec(ask("rustc", ["-vV"]))[1];
}

/** What cannot stand in tauri.conf.json: it is made by this script, and every other build would look for it too. */
function overlay(licences) {
  return {
    // The bundler names the menu entry after the product, and desktops look for it under the name of the program.
    productName: "gatehouse",
    bundle: {
      externalBin: companions.map(({ program }) => join(staging, program)),
      linux: { deb: { depends: dependencies(), files: { "/usr/share/doc/gatehouse/THIRD-PARTY-LICENSES.txt": licences } } },
    },
  };
}

/** The bundler adds the web view and GTK by itself. What is linked here may need a C library as new as this one. */
function dependencies() {
  const { bundle } = JSON.parse(readFileSync(join(top, "tauri.conf.json"), "utf8"));
  const [, version] = ask("getconf", ["GNU_LIBC_VERSION"]).split(" ");
  return [...bundle.linux.deb.depends, `libc6 (>= ${version})`];
}

function newestDeb() {
  const directory = join(outDir, "bundle", "deb");
  const debs = readdirSync(directory).filter((name) => name.endsWith(".deb")).map((name) => join(directory, name));
  const [newest] = debs.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (!newest) throw new Stop(`The bundler left no package in ${directory}.`);
  return newest;
}
