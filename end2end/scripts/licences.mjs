// Writes `server/licences.txt`: every crate that is part of the product, its version and its terms, as Cargo knows them. With `--check`
// it only compares, and fails when the list is not what Cargo says now.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const file = fileURLToPath(new URL("../../server/licences.txt", import.meta.url));

const metadata = JSON.parse(execFileSync("cargo", ["metadata", "--format-version", "1", "--locked"], { cwd: root, maxBuffer: 1 << 28, encoding: "utf8" }));
const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
const packages = new Map(metadata.packages.map((one) => [one.id, one]));

// What is linked: normal dependencies of ours, and theirs. What only builds or tests is not part of the product.
const found = new Set();
const walk = (id) => {
  if (found.has(id)) return;
  found.add(id);
  for (const dep of nodes.get(id).deps) if (dep.dep_kinds.some((kind) => kind.kind === null)) walk(dep.pkg);
};
for (const id of metadata.workspace_members) walk(id);

const lines = [...found]
  .map((id) => packages.get(id))
  .filter((one) => one.source !== null)
  .map((one) => `${one.name} ${one.version}: ${one.license ?? `see ${one.license_file ?? one.repository ?? "its own files"}`}`)
  .sort();
const text = [
  "Callboard is made with these, each under the terms beside it. Their sources and notices are at https://crates.io/crates/<name>.",
  "",
  ...lines,
  "",
].join("\n");

if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== text) {
    console.error("server/licences.txt is not what Cargo says: run npm run licences in end2end");
    process.exit(1);
  }
} else {
  writeFileSync(file, text);
  console.log(`${lines.length} crates`);
}
