// Every relative link and picture in the documents at the top of the repository leads to a file, and every anchor to a heading.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = process.argv[2] ?? "..";
const documents = readdirSync(root).filter((name) => name.endsWith(".md")).map((name) => join(root, name));
documents.push(...["end2end/README.md"].map((name) => join(root, name)).filter((path) => existsSync(path)));
let [links, wrong] = [0, 0];

for (const document of documents) {
  const prose = readFileSync(document, "utf8").replace(/^```[^]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
  const targets = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)|\b(?:src|href|srcset)="([^"]+)"|^\[[^\]]+\]:\s*(\S+)/gm)];
  for (const match of targets) {
    const target = match[1] ?? match[2] ?? match[3];
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue; // another place: not asked, a check must work offline
    links += 1;
    const [path, anchor] = target.split("#");
    const file = path ? join(dirname(document), decodeURIComponent(path)) : document;
    if (!existsSync(file)) complain(document, target, "no such file");
    else if (anchor && statSync(file).isFile() && file.endsWith(".md") && !anchors(file).has(anchor)) complain(document, target, "no such heading");
  }
}
console.log(`links: ${links} in ${documents.length} documents, ${wrong} broken`);
process.exit(wrong ? 1 : 0);

function complain(document, target, why) {
  wrong += 1;
  console.error(`${relative(root, document)}: ${target}: ${why}`);
}

function anchors(file) {
  const text = readFileSync(file, "utf8").replace(/^```[^]*?^```/gm, "");
  const headings = [...text.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map((match) => match[1]);
  return new Set(headings.map((heading) => heading.toLowerCase().replace(/[`*]/g, "").replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-")));
}
