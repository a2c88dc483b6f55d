// Parses every stylesheet the build joins and names each error with its line: what a browser would drop without a word.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { transform } from "lightningcss";

const folder = process.argv[2] ?? "../style";
const names = readdirSync(folder).filter((name) => name.endsWith(".css")).sort();
let wrong = 0;

/** At-rules that may stand at the top: layers themselves, and what layers do not order. */
const layered = new Set(["layer-statement", "layer-block", "property", "font-face", "view-transition"]);
for (const name of names) {
  const complain = (line, message) => {
    wrong += 1;
    console.error(`${join(folder, name)}:${line}: ${message}`);
  };
  const top = [];
  try {
    const { warnings } = transform({
      filename: name,
      code: readFileSync(join(folder, name)),
      errorRecovery: true,
      visitor: { StyleSheet: (sheet) => void top.push(...sheet.rules) },
    });
    for (const warning of warnings) complain(warning.loc.line, warning.message);
  } catch (error) {
    complain(error.loc?.line ?? 1, error.message);
  }
  // A block that is not closed swallows what follows, and no parser calls that an error.
  const depth = braces(readFileSync(join(folder, name), "utf8"));
  if (depth !== 0) complain(1, `${Math.abs(depth)} ${depth > 0 ? "unclosed {" : "stray }"}`);
  for (const rule of top) {
    const line = (rule.value?.loc?.line ?? 0) + 1;
    if (rule.type === "import") complain(line, "@import: the build joins the files");
    else if (!layered.has(rule.type)) complain(line, `${rule.type} stands outside every layer`);
  }
}
console.log(`css: ${names.length} files, ${wrong} errors`);
process.exit(wrong ? 1 : 0);

function braces(text) {
  const bare = text.replace(/\/\*[^]*?\*\//g, "").replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, "");
  return [...bare].reduce((depth, c) => depth + (c === "{" ? 1 : c === "}" ? -1 : 0), 0);
}
