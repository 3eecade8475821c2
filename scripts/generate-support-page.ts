// Writes the complaints into docs/support.md by planting each fault and running its command. `--check` fails when stale.
import { readFile, writeFile } from "node:fs/promises";
import { withEmbeddedPostgres } from "../cli/database/start-embedded-postgres.ts";
import { supportPage, supportPagePath } from "./support-page/support-page.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const before = await readFile(supportPagePath, "utf8");
const after = await withEmbeddedPostgres(temporaryFolder("support-page"), supportPage);
if (before === after) console.log(`${supportPagePath} is fresh.`);
else if (process.argv.includes("--check")) {
  console.error(`${supportPagePath} is stale: run \`npm run generate:support\`.`);
  process.exitCode = 1;
} else {
  await writeFile(supportPagePath, after);
  console.log(`${supportPagePath} is written.`);
}
