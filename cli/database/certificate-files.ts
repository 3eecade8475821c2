import { readFile } from "node:fs/promises";
import { Failure } from "../../core/failure.ts";

/** What `DATABASE_URL` names by its path (PostgreSQL's documentation, 34.1.2). */
const names = ["sslrootcert", "sslcert", "sslkey"];

/** node-postgres reads these files by itself, and throws a bare `ENOENT` where it cannot. Throws `settings`. */
export async function checkCertificateFiles(databaseUrl: URL): Promise<void> {
  for (const name of names) {
    const path = databaseUrl.searchParams.get(name);
    if (path === null || path === "") continue;
    try {
      await readFile(path);
    } catch (error) {
      const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
      throw new Failure(
        "settings",
        `DATABASE_URL: ${name} names a file that cannot be read: ${path} (${reason}).`,
        {
          cause: error,
        },
      );
    }
  }
}
