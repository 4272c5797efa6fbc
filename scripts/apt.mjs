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
  const wanted = [...front, "install", "-y", "-q", "--no-install-recommends", ...names];
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
