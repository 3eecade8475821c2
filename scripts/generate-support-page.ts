// Renews what the commands print in docs/support.md: causes each complaint and runs its command. `--check` fails when stale.
import { withEmbeddedPostgres } from "../cli/database/start-embedded-postgres.ts";
import { supportPage, supportPagePath } from "./support-page/support-page.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { writeOrCheck } from "./write-or-check.ts";

const page = await withEmbeddedPostgres(temporaryFolder("support-page"), supportPage);
writeOrCheck(supportPagePath, page, "generate:support");
