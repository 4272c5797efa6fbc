// Installing system packages through apt, or saying which ones a person must install.
import { existsSync, readdirSync } from "node:fs";
import { findProgram } from "./env.mjs";
import { missingPackages } from "./packages.mjs";
import { run, Stop } from "./run.mjs";

/** Makes sure that the packages of these groups are there. */
export async function ensurePackages(groups) {
  const missing = missingPackages(groups);
  if (missing.length === 0) return console.log(`  system packages: all there (${groups.join(", ")})`);
  const apt = aptCommand();
  if (!apt) throw new Stop(askForPackages(missing));
  await install(apt, missing.map(({ debian }) => debian));
  const still = missingPackages(groups);
  if (still.length > 0) throw new Stop(`apt installed its packages, and yet this is not there:\n${list(still)}`);
}

/**
 * Tries to bring what can be done without, in silence. Resolves to what is missing still: no network and no rights are no
 * reason to stop.
 */
export async function wishForPackages(groups) {
  const missing = missingPackages(groups);
  const apt = aptCommand();
  if (missing.length === 0 || !apt) return missing;
  const names = missing.map(({ debian }) => debian);
  console.log(`  system packages: installing ${names.join(" ")}`);
  const [program, ...front] = [...apt, "-o", "Acquire::Retries=0"];
  const silently = (...args) => run(program, [...front, ...args], { quiet: true });
  if ((await silently(...installation, ...names)) === 0) return missingPackages(groups);
  await silently("update");
  await silently(...installation, ...names);
  return missingPackages(groups);
}

const installation = ["install", "-y", "-q", "--no-install-recommends"];

/** How to call apt-get here, or undefined: no apt, or neither root nor sudo. */
function aptCommand() {
  if (!findProgram("apt-get")) return undefined;
  const apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
  if (process.getuid() === 0) return apt;
  return findProgram("sudo") ? ["sudo", ...apt] : undefined;
}

async function install(apt, names) {
  console.log(`  system packages: installing ${names.join(" ")}`);
  const [program, ...front] = apt;
  const update = () => run(program, [...front, "update", "-q"]);
  const wanted = [...front, ...installation, ...names];
  if (!hasPackageLists()) await update();
  if ((await run(program, wanted)) === 0) return;
  console.log("  system packages: once more, with fresh package lists");
  await update();
  const code = await run(program, wanted);
  if (code !== 0) throw new Stop(`apt-get could not install ${names.join(" ")} (exit code ${code}).`);
}

function hasPackageLists() {
  const lists = "/var/lib/apt/lists";
  return existsSync(lists) && readdirSync(lists).some((name) => name.includes("_Packages"));
}

function askForPackages(missing) {
  return [
    "Gatehouse needs these system packages, and they cannot be installed from here",
    "(that takes apt-get, and root or sudo). Please install them, then run the same command again:",
    "",
    list(missing),
    "",
    "The names are Debian's; other systems call them a little differently.",
  ].join("\n");
}

const list = (missing) => missing.map(({ debian, says }) => `  ${debian.padEnd(30)} ${says}`).join("\n");
