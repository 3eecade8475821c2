import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseTokenRegistry } from "../../core/documents/token-registry.ts";
import { parseSnapshotId, parseTenantId } from "../../core/ground/ids.ts";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import { beginTestStore } from "./begun-store.ts";
import { type CommandOptions, type CommandResult, runCommand } from "./command-line.ts";
import { publishPointer } from "./gateway-snapshots.ts";

/** A store in which the tenant acme has a snapshot, and the token commands on it. */
export async function openTokenDesk() {
  const directory = await mkdtemp(join(tmpdir(), "token-desk-"));
  const env = { STORE_URL: `file:${directory}`, LOG_LEVEL: "debug" };
  const now = new Date("2026-11-21T12:00:00.000Z");
  const path = join(directory, "auth/tokens.json");
  const run = (args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> =>
    runCommand(["token", ...args], { now, ...options, env: { ...env, ...options.env } });
  const begin = async (): Promise<void> => {
    await beginTestStore(createFileStore({ directory }));
    await desk.publish("acme");
  };
  const desk = {
    directory,
    env,
    /** The time of commands that are given no other. */
    now,
    run,
    /** What `--json` printed; throws unless the command was done. */
    async json(args: readonly string[], options?: CommandOptions) {
      const { status, stdout, stderr } = await run([...args, "--json"], options);
      if (status !== 0) throw new Error(`${args.join(" ")}: ${status}: ${stderr}`);
      return JSON.parse(stdout);
    },
    registry: async () => await parseTokenRegistry(await readFile(path)),
    /** `undefined` while there is none. */
    registryText: () => readFile(path, "utf8").catch(() => undefined),
    /** Gives the tenant a pointer, which is all that `token create` looks for. */
    async publish(tenant: string): Promise<void> {
      await publishPointer(createFileStore({ directory }), {
        tenantId: parseTenantId(tenant),
        generation: 1,
        snapshotId: parseSnapshotId("20261101T000000Z-00000000"),
        manifestSha256: "0".repeat(64),
      });
    },
    /** Back to the beginning. */
    async reset() {
      await rm(directory, { recursive: true, force: true });
      await mkdir(directory);
      await begin();
    },
    async close() {
      await rm(directory, { recursive: true, force: true });
    },
  };
  await begin();
  return desk;
}
