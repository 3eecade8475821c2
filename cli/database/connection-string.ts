import { Failure } from "../../core/failure.ts";

/** Modes that libpq knows (PostgreSQL's documentation, 34.19), and `no-verify` of node-postgres. */
const sslModes = ["disable", "no-verify", "verify-full"];
/** They have no meaning of their own in node-postgres: it checks the certificate and the host's name. */
const strict = ["allow", "prefer", "require", "verify-ca"];

/**
 * The connection string for node-postgres. It warns of `sslmode=require` and the like, since its next version will check no
 * certificate there; that they are checked is what operators here rely on, so it is said in its own word for it. Throws
 * `settings` for a mode that is none, which node-postgres would take for the strictest.
 */
export function connectionString(databaseUrl: URL): string {
  const mode = databaseUrl.searchParams.get("sslmode");
  if (mode === null || sslModes.includes(mode)) return databaseUrl.href;
  if (!strict.includes(mode)) {
    throw new Failure(
      "settings",
      `DATABASE_URL: sslmode must be one of ${[...sslModes, ...strict].sort().join(", ")}.`,
    );
  }
  // Whoever asks for libpq's meaning gets it.
  if (databaseUrl.searchParams.get("uselibpqcompat") === "true") return databaseUrl.href;
  const strictest = new URL(databaseUrl);
  strictest.searchParams.set("sslmode", "verify-full");
  return strictest.href;
}
