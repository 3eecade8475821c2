// Writes the digest that `--version --json`, the log and the metrics show. It is the last part of `npm run
// build`, so that no program has to read all its files when it starts.
import { writeFileSync } from "node:fs";
import { codeDigest, programDigestFile, programFolders } from "../core/process/package-version.ts";

writeFileSync(programDigestFile, codeDigest(programFolders));
