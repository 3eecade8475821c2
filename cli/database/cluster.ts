import { randomBytes } from "node:crypto";
import { chmod, chown, lstat, mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../core/ground/failure.ts";
import { isErrno } from "../../core/store/file-store/store-folders.ts";
import {
  isRoot,
  isRootsOwn,
  lentAccount,
  machineDirectory,
  refuseForeign,
  runProgram,
} from "./server-programs.ts";

/** A database cluster on disk and what lies beside it. */
export interface Cluster {
  /** Belongs to this process, so that the server's account can plant nothing in it. */
  readonly directory: string;
  /** PostgreSQL's own data directory. All that belongs to the server's account is in it. */
  readonly data: string;
  readonly passwordFile: string;
  readonly log: string;
}

/** The superuser of an embedded cluster. */
export const superuser = "postgres";

/**
 * Where the cluster of a `DATA_DIR` lives: `<dataDir>/postgres`, or a machine directory where its account
 * can't enter `dataDir` or others can change it. Throws `source_unavailable` for a folder that somebody else
 * made (P181).
 */
export async function clusterOf(namedDir: string): Promise<Cluster> {
  await mkdir(namedDir, { recursive: true }).catch((cause: Error) => {
    throw new Failure(
      "source_unavailable",
      `The embedded PostgreSQL can't keep its data in ${namedDir} (${cause.message}). ` +
        "Set DATABASE_URL to your booking database, or DATA_DIR to a folder that may be written to.",
      { cause },
    );
  });
  // A link on the way may belong to somebody else, who can let it lead elsewhere later.
  const dataDir = await realpath(namedDir);
  const usual = join(dataDir, "postgres");
  await refuseForeign(usual);
  if (!isRoot || (await isRootsOwn(dataDir))) return clusterAt(usual);
  return clusterAt(join(await machineDirectory(dataDir), "postgres"));
}

function clusterAt(directory: string): Cluster {
  const at = (name: string): string => join(directory, name);
  return { directory, data: at("cluster"), passwordFile: at("password"), log: at("server.log") };
}

/** Creates the cluster unless it exists; several processes may try at once. Takes about two seconds. */
export async function createCluster(cluster: Cluster, initdb: string): Promise<void> {
  if (await clusterExists(cluster)) return;
  // Made elsewhere and renamed, so that nobody ever sees half a cluster, not even after a crash.
  const { directory, data, passwordFile } = clusterAt(
    `${cluster.directory}.new-${randomBytes(8).toString("hex")}`,
  );
  await mkdir(directory, { mode: 0o700 });
  try {
    await mkdir(data, { mode: 0o700 });
    await writeFile(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });
    if (isRoot) {
      // The folder around them stays root's, so nobody else can put links into their places.
      for (const path of [data, passwordFile]) await chown(path, lentAccount, lentAccount);
      await chmod(directory, 0o711);
    }
    const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
    // Other users of the machine reach the port as well: they need the password, and can't read it.
    const access = [`--username=${superuser}`, "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
    await runProgram(initdb, [`--pgdata=${data}`, ...locale, ...access]);
    if (isRoot) await chown(passwordFile, 0, 0);
    await rename(directory, cluster.directory);
  } catch (cause) {
    // The server's account removes its own files: it could turn folders into links while root goes through.
    await runProgram("rm", ["-rf", data]).catch(() => {});
    await rm(directory, { recursive: true, force: true });
    // Another process was faster.
    if (isErrno(cause, "ENOTEMPTY", "EEXIST")) return;
    const detail = cause instanceof Error ? cause.message.split("\n").slice(1).join(" ").trim() : "";
    throw new Failure(
      "source_unavailable",
      `Could not create the embedded PostgreSQL in ${cluster.directory}: ${detail || "initdb failed"}. ` +
        "Set DATABASE_URL to a PostgreSQL of your own if this machine can't run it.",
      { cause },
    );
  }
}

export async function clusterExists({ data }: Cluster): Promise<boolean> {
  return (await lstat(data).catch(() => undefined)) !== undefined;
}
