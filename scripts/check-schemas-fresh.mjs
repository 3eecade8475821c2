// @ts-check
// Refuses to build with generated files that were written from other schemas. It compares digests only, since every build
// runs it; `generate-schemas.mjs --check` generates all files again.
import { readFile } from "node:fs/promises";
import { generatedFiles, sourceFiles, sumsName, sumsText } from "./generate-schemas/sums.mjs";

const root = new URL("../", import.meta.url);
const recorded = await readFile(new URL(`schemas/generated/${sumsName}`, root), "utf8").catch(() => "");
const present = sumsText(new Map([...(await sourceFiles(root)), ...(await generatedFiles(root))]));

const [before, now] = [recorded.split("\n"), present.split("\n")];
const different = [
  ...before.filter((line) => !now.includes(line)),
  ...now.filter((line) => !before.includes(line)),
];
if (different.length > 0) {
  const paths = new Set(different.map((line) => line.split("  ").at(-1)));
  console.error(
    `schemas/generated is stale: run npm run generate. Changed since then: ${[...paths].join(", ")}`,
  );
  process.exitCode = 1;
}
