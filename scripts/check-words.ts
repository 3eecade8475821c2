// Fails when the pages in docs/ have more words than anybody reads: all together, generated ones counted, or
// the operators' page. A word is what `wc -w` counts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The most words of all pages, and of single ones. */
const bounds = { all: 46_000, "docs/operators.md": 6_500 };

const paths = readdirSync("docs", { encoding: "utf8", recursive: true })
  .filter((path) => path.endsWith(".md"))
  .map((path) => join("docs", path));
const words = new Map(paths.map((path) => [path, wordsOf(readFileSync(path, "utf8"))]));
words.set(
  "all",
  [...words.values()].reduce((sum, count) => sum + count, 0),
);

for (const [name, bound] of Object.entries(bounds)) {
  // A page that is gone would pass as an empty one.
  const count = words.get(name) ?? Number.NaN;
  console.log(
    `${name === "all" ? `${paths.length} pages in docs/` : name}: ${count} words of at most ${bound}.`,
  );
  if (count <= bound) continue;
  console.error(
    `${name === "all" ? "docs/" : name} has ${count - bound} words too many: say each thing once, where it is looked for.`,
  );
  process.exitCode = 1;
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => word !== "").length;
}
