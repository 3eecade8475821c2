// Writes the complaints into docs/support.md by planting each fault and running its command. `--check` fails when stale.
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withEmbeddedPostgres } from "../cli/database/start-embedded-postgres.ts";
import { supportPage, supportPagePath } from "./support-page/support-page.ts";

const directory = await mkdtemp(join(tmpdir(), "support-page-data-"));
// If this process is root, the server runs under another account, which must be able to enter the folder.
await chmod(directory, 0o755);
try {
  const before = await readFile(supportPagePath, "utf8");
  const after = await withEmbeddedPostgres(directory, { durable: false }, supportPage);
  if (before === after) console.log(`${supportPagePath} is fresh.`);
  else if (process.argv.includes("--check")) {
    console.error(`${supportPagePath} is stale: run \`npm run generate:support\`.`);
    process.exitCode = 1;
  } else {
    await writeFile(supportPagePath, after);
    console.log(`${supportPagePath} is written.`);
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
