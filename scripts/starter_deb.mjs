// `node scripts/starter_deb.mjs`: the starter model as a Debian package beside the application's own. The model changes
// never and the application often, so nobody fetches it twice.
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { targetDir } from "./env.mjs";
import { ensureStarter, starter } from "./model.mjs";
import { main, must } from "./run.mjs";

export const starterPackage = "gatehouse-starter-model";

/** Makes the package in a directory; its path. */
export async function starterDeb(out) {
  const model = await ensureStarter();
  mkdirSync(out, { recursive: true });
  const root = mkdtempSync(join(out, "starter-"));
  chmodSync(root, 0o755); // it becomes "/" of the package
  put(join(root, "usr/share/gatehouse/models"), starter.name, (goal) => copyFileSync(model, goal));
  put(join(root, "usr/share/doc", starterPackage), "copyright", (goal) => writeFileSync(goal, copyright()));
  put(join(root, "DEBIAN"), "control", (goal) => writeFileSync(goal, control(statSync(model).size)));
  const deb = join(out, `${starterPackage}_${starter.version}_all.deb`);
  // Weights do not get smaller; packing them would only take minutes.
  await must("dpkg-deb", ["--root-owner-group", "-Znone", "--build", root, deb]);
  rmSync(root, { recursive: true });
  return deb;
}

/** Directories and files get the modes of an ordinary system, whoever builds. */
function put(directory, file, write) {
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  const goal = join(directory, file);
  write(goal);
  chmodSync(goal, 0o644);
}

/** What dpkg is told of the package. */
export function control(bytes) {
  return [
    `Package: ${starterPackage}`,
    `Version: ${starter.version}`,
    "Architecture: all",
    "Maintainer: Gatehouse contributors",
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    "Enhances: gatehouse",
    "Section: misc",
    "Priority: optional",
    "Description: small language model for Gatehouse's embedded engine",
    " SmolLM2-135M-Instruct. With it Gatehouse answers without a server and without",
    " a network. It chats a little, knows little, and is offered no tools.",
    "",
  ].join("\n");
}

function copyright() {
  return [
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/",
    "",
    "Files: *",
    "Copyright: Hugging Face",
    `License: ${starter.licence}`,
    " On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.",
    "",
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    process.umask(0o022);
    const deb = await starterDeb(join(targetDir, "starter-model"));
    console.log(`\n${deb}\n${(statSync(deb).size / 1e6).toFixed(1)} MB`);
  });
}
