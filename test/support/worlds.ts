import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { logLine } from "./log-lines.ts";
import { deskTenant, type SupportDesk } from "./support-desk.ts";

/**
 * Worlds in which one to three things went wrong, planted for real, and what is true in each by the planting alone: what
 * is to be said, what somebody does who follows a step, and what partners get.
 */

export const program = "KYOTO-1";
/** A time of the day on which all worlds are planted, in UTC. */
export const day = (hour: number, minute = 0): Date => new Date(Date.UTC(2026, 10, 21, hour, minute));

/** What a world is made of while it is planted. */
export interface World {
  readonly desk: SupportDesk;
  /** When it is asked about. */
  now: Date;
  /** The gateway's log. */
  readonly log: string[];
  /** The id of the partner's access key. */
  key: string;
  onInvalid: "report" | "fail";
  /** SQL that undoes what makes builds fail. */
  undo: string | null;
}

export interface Cause {
  readonly name: string;
  /** What it changes: two causes that change the same thing are not planted together. */
  readonly slots: readonly string[];
  /** When it happens: causes are planted in this order. */
  readonly phase: "build" | "source" | "store" | "key" | "log";
  plant(world: World): Promise<void>;
  /** The concerns of the tenant that tell of it. */
  readonly concerns?: readonly string[];
  /** What the explanation of the program has to say of it. */
  readonly said?: RegExp;
  /** Nothing but this is to be said of the program, or of the tenant. */
  readonly hides?: "program" | "tenant" | "both";
}

/** The row of the program in question. */
export const where = `WHERE tenant_id = '${deskTenant}' AND program_id = '${program}'`;
/** Programs of the tenant with which nothing is wrong. */
const others = Array.from({ length: 12 }, (_, at) => `OTHER-${at}`);

/** Whether both can be so at once. */
export function isPossible(some: readonly Cause[]): boolean {
  const slots = some.flatMap((cause) => cause.slots);
  return new Set(slots).size === slots.length;
}

/** Plants causes in the order in which they happen. */
export type PlantWorld = (some: readonly Cause[]) => Promise<World>;

/**
 * The store in which nothing went wrong yet is built once for each way of handling findings, kept below `folder`, and copied for
 * each world.
 */
export function worldPlanter(desk: SupportDesk, folder: string): PlantWorld {
  const kept = new Map<World["onInvalid"], { readonly directory: string; readonly key: string }>();

  async function begin(world: World): Promise<void> {
    const { onInvalid } = world;
    const known = kept.get(onInvalid);
    if (known !== undefined) {
      await cp(known.directory, desk.storeDirectory, { recursive: true });
      world.key = known.key;
      return;
    }
    await built(world, day(8));
    await issue(world);
    const directory = join(folder, onInvalid);
    await cp(desk.storeDirectory, directory, { recursive: true });
    kept.set(onInvalid, { directory, key: world.key });
  }

  return async (some) => {
    await desk.reset();
    const world: World = { desk, now: day(12), log: [], key: "", onInvalid: "report", undo: null };
    const rows = others.map((programId) => ({
      tenant_id: deskTenant,
      program_id: programId,
      name: `Tour ${programId}`,
      lifecycle_state: "active",
      capacity_total: 10,
    }));
    await desk.source.insert("programs", ...rows);
    if (some.some(({ name }) => name.startsWith("a fault of another"))) world.onInvalid = "fail";
    await begin(world);
    await plant(world, some);
    return world;
  };
}

async function plant(world: World, some: readonly Cause[]): Promise<void> {
  for (const phase of ["build", "source", "store", "key"] as const) {
    for (const cause of some.filter((one) => one.phase === phase)) await cause.plant(world);
  }
  // What makes builds fail goes on until somebody mends it; the explanation asks views that work.
  if (world.undo !== null) await world.desk.source.query(world.undo);
  const late = some.filter(({ phase }) => phase === "log");
  for (const cause of late.toSorted((a) => (a.slots.includes("time") ? -1 : 1))) await cause.plant(world);
}

export async function built({ desk, onInvalid }: World, now: Date): Promise<void> {
  await desk.build({ now, args: ["--on-invalid", onInvalid] });
}

export async function issue(world: World, ...options: readonly string[]): Promise<void> {
  const args = ["token", "create", "--tenant", deskTenant, "--name", "Website", ...options];
  const made = (await world.desk.json(args, { now: day(7) })) as { readonly tokenId: string };
  world.key = made.tokenId;
}

/** A line of the last hour. */
export function answer({ now, key }: World, fields: Readonly<Record<string, unknown>>): string {
  const time = new Date(now.getTime() - 600_000).toISOString();
  const own = { tokenId: key, tenantId: deskTenant, limit: 600, windowSeconds: 60 };
  return logLine({ ...own, requestId: `r-${String(fields.status)}`, time, ...fields });
}

export async function damageBody({ desk: { storeDirectory } }: World): Promise<void> {
  const tenant = join(storeDirectory, "tenants", deskTenant);
  const { snapshotId } = JSON.parse(await readFile(join(tenant, "current.json"), "utf8"));
  const manifest = JSON.parse(await readFile(join(tenant, "snapshots", snapshotId, "manifest.json"), "utf8"));
  const file = join(storeDirectory, manifest.programs[program].key);
  const text = await readFile(file, "utf8");
  await rm(file);
  await writeFile(file, text.replace("active", "acTive"));
}

/** What somebody does in the booking system who follows what a step of support says. */
export async function follow({ desk }: World, text: string): Promise<void> {
  const change = (set: string) => desk.source.query(`UPDATE partner_source.programs SET ${set} ${where}`);
  if (text.includes("set to active")) await change("lifecycle_state = 'active'");
  if (text.includes("State")) await change("lifecycle_state = 'active'");
  if (text.includes("travel dates that are not past")) {
    await change("departure_date = '2027-04-01', return_date = '2027-04-05'");
  }
  if (/\bName\b/.test(text)) await change("name = 'Temples of Kyoto'");
  if (text.includes("Capacity, total")) await change("capacity_total = 20");
  if (text.includes("Media, cover url")) await change("cover_url = 'https://img.example/kyoto.jpg'");
  if (text.includes("a value above")) {
    await change("capacity_total = 20, cover_url = 'https://img.example/kyoto.jpg'");
  }
  if (text.includes("Only one program can have this id")) {
    await desk.source.query(`
      DELETE FROM partner_source.programs a ${where.replaceAll("tenant_id", "a.tenant_id").replaceAll("program_id", "a.program_id")}
        AND a.ctid <> (SELECT min(b.ctid) FROM partner_source.programs b
                        WHERE b.tenant_id = '${deskTenant}' AND b.program_id = '${program}')`);
  }
  if (text.includes("restored in the booking system")) {
    await desk.source.insert("programs", {
      tenant_id: deskTenant,
      program_id: program,
      name: "Temples of Kyoto",
      lifecycle_state: "active",
      capacity_total: 20,
    });
  }
  if (text.includes('program "OTHER-1" corrected')) {
    await desk.source.query(
      "UPDATE partner_source.programs SET name = 'Tour OTHER-1' WHERE program_id = 'OTHER-1'",
    );
  }
  if (text.includes("view partner_source.tenants")) {
    await desk.source.query(
      `INSERT INTO partner_source.tenants SELECT '${deskTenant}', 'Sakura' WHERE NOT EXISTS
         (SELECT FROM partner_source.tenants WHERE tenant_id = '${deskTenant}')`,
    );
  }
}
