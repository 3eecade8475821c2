import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import { type CommandOptions, type CommandResult, runCommand } from "./command-line.ts";
import { openPlainSource, type PlainSource, plainSourceSql } from "./plain-source.ts";
import { createTestDatabase } from "./postgres.ts";

/** A small company with its booking data and its store, and the commands that its support staff type. */
export type SupportDesk = Awaited<ReturnType<typeof openSupportDesk>>;

export const deskTenant = "sakura-trails";

/** Two publishable programs (KYOTO-1, NARA-2), a draft one (OSAKA-3), all in `partner_source`. */
export async function openSupportDesk() {
  const database = await createTestDatabase({ isEmpty: true });
  const source = await openPlainSource(database.url);
  await fill(source);
  const storeDirectory = await mkdtemp(join(tmpdir(), "support-desk-"));
  const store = createFileStore({ directory: storeDirectory });
  const env = { DATABASE_URL: database.url, STORE_URL: `file:${storeDirectory}`, LOG_LEVEL: "silent" };
  const run = (args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> =>
    runCommand(args, { ...options, env: { ...env, ...options.env } });
  return {
    source,
    store,
    storeDirectory,
    env,
    run,
    /** The same, and the object that `--json` printed. Throws unless the exit status is 0. */
    async json(args: readonly string[], options?: CommandOptions): Promise<unknown> {
      const { status, stdout, stderr } = await run([...args, "--json"], options);
      if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
      return JSON.parse(stdout);
    },
    build: ({ args = [], ...options }: CommandOptions & { readonly args?: readonly string[] } = {}) =>
      run(["snapshot", "build", ...args], options),
    /** Both as at first: the sample data, and an empty store. Takes a tenth of the time of a new desk. */
    async reset() {
      // A test may have replaced a table.
      await source.empty().catch(() => source.query(madeAnew));
      await fill(source);
      await rm(storeDirectory, { recursive: true, force: true });
      await mkdir(storeDirectory);
    },
    async close() {
      await source.close();
      await database.close();
      await rm(storeDirectory, { recursive: true, force: true });
    },
  };
}

const madeAnew = `DROP SCHEMA partner_source CASCADE; ${plainSourceSql}`;

async function fill(source: PlainSource): Promise<void> {
  const tenant_id = deskTenant;
  await source.insert("tenants", { tenant_id, name: "Sakura Trails" });
  await source.insert(
    "programs",
    {
      tenant_id,
      program_id: "KYOTO-1",
      name: "Temples of Kyoto",
      lifecycle_state: "active",
      departure_date: "2027-04-01",
      return_date: "2027-04-05",
      capacity_total: 20,
      currency: "EUR",
      cover_url: "https://img.example/kyoto.jpg",
      included: ["Breakfast", "Museum pass"],
    },
    {
      tenant_id,
      program_id: "NARA-2",
      name: "Deer of Nara",
      lifecycle_state: "active",
      departure_date: "2027-05-10",
      return_date: "2027-05-12",
      capacity_total: 12,
      currency: "EUR",
    },
    { tenant_id, program_id: "OSAKA-3", name: "Osaka by night", lifecycle_state: "draft", capacity_total: 8 },
  );
  await source.insert(
    "room_prices",
    { tenant_id, program_id: "KYOTO-1", occupancy: 1, amount: "1490.00" },
    { tenant_id, program_id: "KYOTO-1", occupancy: 2, amount: "1190.50" },
    { tenant_id, program_id: "NARA-2", occupancy: 2, amount: "640.00" },
  );
}

/** What nobody wrote: one byte more behind the live manifest. */
export async function damageLiveManifest({ storeDirectory }: SupportDesk): Promise<void> {
  const tenant = join(storeDirectory, "tenants", deskTenant);
  const { snapshotId } = JSON.parse(await readFile(join(tenant, "current.json"), "utf8"));
  const manifest = join(tenant, "snapshots", snapshotId, "manifest.json");
  await writeFile(manifest, `${await readFile(manifest, "utf8")} `);
}
