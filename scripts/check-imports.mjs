// @ts-check
// Holds the import directions of .dependency-cruiser.mjs, and fails when the tool overlooked a module.
import { execFileSync } from "node:child_process";
import { cruise } from "dependency-cruiser";
import extractTsConfig from "dependency-cruiser/config-utl/extract-ts-config";
import config from "../.dependency-cruiser.mjs";

const folders = ["cli", "core", "gateway", "schemas", "scripts"];
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...folders], {
  encoding: "utf8",
});
const ours = files.split("\n").filter((path) => /\.(ts|mjs)$/.test(path) && !path.endsWith(".d.ts"));

const { output } = await cruise(
  folders,
  { ...config.options, ruleSet: { forbidden: config.forbidden }, validate: true },
  undefined,
  { tsConfig: extractTsConfig("tsconfig.json") },
);
if (typeof output === "string") throw new Error("expected the tool's result as data");

const seen = new Set(output.modules.map(({ source }) => source));
const overlooked = ours.filter((path) => !seen.has(path));
for (const { rule, from, to } of output.summary.violations) console.error(`${rule.name}: ${from} -> ${to}`);
for (const path of overlooked) console.error(`overlooked: ${path}`);
console.log(`${ours.length} own modules and ${seen.size - ours.length} others looked at.`);
process.exitCode = output.summary.violations.length + overlooked.length > 0 || ours.length === 0 ? 1 : 0;
