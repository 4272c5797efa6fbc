// `npm run bundle`: the package that people install, for this machine's kind of system, and beside it the one with the
// starter model. With `--try` both are then installed and used in a fresh system (scripts/bundle_try.mjs). What follows
// goes to `tauri build`.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkDeb, checkStarter } from "./bundle_check.mjs";
import { tryDeb } from "./bundle_try.mjs";
import { buildEngine, engineName } from "./engine.mjs";
import { targetDir, top } from "./env.mjs";
import { licencesText, thirdParty } from "./licences.mjs";
import { ask, main, must, Stop } from "./run.mjs";
import { setUp } from "./setup.mjs";
import { starterDeb } from "./starter_deb.mjs";

/** The programs that the app finds beside its own executable, and how each is built. */
const companions = [
  { program: "gatehouse-shim", build: buildShim },
  { program: engineName, build: () => buildEngine({ release: true }) },
];

const profile = "dist";
const outDir = join(targetDir, profile);
const staging = join(outDir, "packaging");
const debs = join(outDir, "bundle", "deb");

await main(async (args) => {
  const trying = args.includes("--try");
  // Files get the modes of an ordinary system, whoever builds.
  process.umask(0o022);
  await setUp({ packages: ["compile", "window", "engine"] });
  mkdirSync(staging, { recursive: true });
  const licences = join(staging, "THIRD-PARTY-LICENSES.txt");
  writeFileSync(licences, licencesText(thirdParty()));
  await buildCompanions();
  const bundler = ["--no-install", "tauri", "build", "--ci", "--bundles", "deb", "--config", JSON.stringify(overlay(licences))];
  await must("npx", [...bundler, ...args.filter((arg) => arg !== "--try"), "--", "--profile", profile]);
  const deb = newestDeb();
  checkDeb(deb);
  const starter = await starterDeb(debs);
  checkStarter(starter);
  for (const file of [deb, starter]) console.log(sizes(file));
  return trying ? tryDeb(deb, starter) : 0;
});

function sizes(deb) {
  const installed = ask("dpkg-deb", ["--field", deb, "Installed-Size"]) / 1000;
  return `\n${deb}\n${(statSync(deb).size / 1e6).toFixed(1)} MB, ${installed.toFixed(1)} MB installed`;
}

/** The bundler looks for them under names that end in the machine they are for. */
async function buildCompanions() {
  for (const { program, build } of companions) {
    const begin = Date.now();
    copyFileSync(await build(), `${join(staging, program)}-${hostTriple()}`);
    console.log(`  ${program}: ${((Date.now() - begin) / 1000).toFixed(0)} s`);
  }
}

async function buildShim() {
  await must("cargo", ["build", "--locked", "--profile", profile, "-p", "gatehouse-process", "--bin", "gatehouse-shim"]);
  return join(outDir, "gatehouse-shim");
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

/** The bundler adds the web view and GTK by itself. What is linked here may need libraries as new as these. */
function dependencies() {
  const { bundle } = JSON.parse(readFileSync(join(top, "tauri.conf.json"), "utf8"));
  const [, libc] = ask("getconf", ["GNU_LIBC_VERSION"]).split(" ");
  const compiler = ask("c++", ["-dumpversion"]);
  return [...bundle.linux.deb.depends, `libc6 (>= ${libc})`, `libstdc++6 (>= ${compiler})`];
}

function newestDeb() {
  const names = readdirSync(debs).filter((name) => /^gatehouse_.*\.deb$/.test(name));
  const [newest] = names.map((name) => join(debs, name)).sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (!newest) throw new Stop(`The bundler left no package in ${debs}.`);
  return newest;
}
