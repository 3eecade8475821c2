import { readFileSync, writeFileSync } from "node:fs";

/**
 * Writes a generated file. With `--check` it only says whether the file is fresh, and the process ends with 1
 * if it is not. `command` is the npm script that renews it.
 */
export function writeOrCheck(path: string, text: string, command: string): void {
  if (readFileSync(path, "utf8") === text) console.log(`${path} is fresh.`);
  else if (process.argv.includes("--check")) {
    console.error(`${path} is stale: run \`npm run ${command}\`.`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    console.log(`${path} is written.`);
  }
}
