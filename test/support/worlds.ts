import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { logLine } from "./log-lines.ts";
import { damageLiveManifest } from "./standing-plants.ts";
import { deskTenant, type SupportDesk } from "./support-desk.ts";

/**
 * Worlds in which one to three things went wrong, planted for real, and what is true in each by the planting alone: what
 * is to be said, what somebody does who follows a step, and what partners get.
 */

export const program = "KYOTO-1";
const presentTenant = "sakura-tours";
const day = (hour: number, minute = 0): Date => new Date(Date.UTC(2026, 10, 21, hour, minute));

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

const where = `WHERE tenant_id = '${deskTenant}' AND program_id = '${program}'`;
const update =
  (set: string) =>
  async ({ desk }: World) =>
    await desk.source.query(`UPDATE partner_source.programs SET ${set} ${where}`);
const others = Array.from({ length: 12 }, (_, at) => `OTHER-${at}`);

const sourceCauses: readonly Cause[] = [
  {
    name: "another name",
    slots: ["name"],
    phase: "source",
    plant: update("name = 'Shrines of Kyoto'"),
    said: /older version.*Name/,
  },
  { name: "no name", slots: ["name"], phase: "source", plant: update("name = ' '"), said: /has no name/ },
  {
    name: "a garbled name",
    slots: ["name"],
    phase: "source",
    plant: update("name = 'ZÃ¼rich'"),
    said: /Name looks garbled/,
  },
  {
    name: "cancelled",
    slots: ["state"],
    phase: "source",
    plant: update("lifecycle_state = 'cancelled'"),
    said: /calls it "cancelled"/,
  },
  {
    name: "ended by its dates",
    slots: ["state", "dates"],
    phase: "source",
    plant: update("lifecycle_state = 'ended', departure_date = '2026-11-01', return_date = '2026-11-05'"),
    said: /calls it "ended"/,
  },
  {
    name: "an unknown state",
    slots: ["state"],
    phase: "source",
    plant: update("lifecycle_state = 'on sale'"),
    said: /state "on sale" is not one of/,
  },
  {
    name: "deleted",
    slots: ["name", "state", "dates", "row", "capacity", "photo"],
    phase: "source",
    async plant({ desk }) {
      await desk.source.query(`DELETE FROM partner_source.programs ${where}`);
    },
    said: /no longer has it/,
  },
  {
    name: "two rows",
    slots: ["row"],
    phase: "source",
    async plant({ desk }) {
      await desk.source.query(
        `INSERT INTO partner_source.programs SELECT * FROM partner_source.programs ${where}`,
      );
    },
    said: /Two programs in the booking system have this id/,
  },
  {
    name: "no capacity",
    slots: ["capacity"],
    phase: "source",
    plant: update("capacity_total = NULL"),
    said: /No capacity in the booking system/,
  },
  {
    name: "a photo without https",
    slots: ["photo"],
    phase: "source",
    plant: update("cover_url = 'http://img.example/kyoto.jpg'"),
    said: /only complete https addresses/,
  },
];

const buildCauses: readonly Cause[] = [
  {
    name: "a view that fails",
    slots: ["build"],
    phase: "build",
    async plant(world) {
      await world.desk.source.query("ALTER TABLE partner_source.faq RENAME TO gone");
      await built(world, day(11));
      world.undo = "ALTER TABLE partner_source.gone RENAME TO faq";
    },
    concerns: ["failing"],
    said: /builds fail|Builds fail/,
  },
  {
    name: "a build that was stopped",
    slots: ["build"],
    phase: "build",
    async plant({ desk }) {
      await desk.build({ now: day(11), signal: AbortSignal.abort() });
    },
    concerns: ["interrupted"],
  },
  {
    name: "a build that was refused",
    slots: ["build"],
    phase: "build",
    async plant(world) {
      const { source } = world.desk;
      await source.query(`
        CREATE TABLE public.kept AS SELECT * FROM partner_source.programs WHERE program_id <> '${program}';
        DELETE FROM partner_source.programs WHERE program_id <> '${program}'`);
      await built(world, day(11));
      await source.query(
        "INSERT INTO partner_source.programs SELECT * FROM public.kept; DROP TABLE public.kept",
      );
    },
    concerns: ["guard"],
    said: /was refused/,
  },
  {
    name: "a fault of another program that stops builds",
    slots: ["build"],
    phase: "build",
    async plant(world) {
      world.onInvalid = "fail";
      await world.desk.source.query(
        "UPDATE partner_source.programs SET name = '' WHERE program_id = 'OTHER-1'",
      );
      await built(world, day(11));
    },
    concerns: ["faults"],
    said: /stopped at program "OTHER-1"|builds of this tenant stop/,
  },
  {
    name: "another program left out",
    slots: ["build"],
    phase: "build",
    async plant(world) {
      await world.desk.source.query(
        "UPDATE partner_source.programs SET name = '' WHERE program_id = 'OTHER-1'",
      );
      await built(world, day(11));
    },
    concerns: ["left_out"],
  },
  {
    name: "a hold",
    slots: ["hold", "build"],
    phase: "build",
    async plant(world) {
      const rename = (name: string) =>
        world.desk.source.query("UPDATE partner_source.programs SET name = $1 WHERE program_id = 'OTHER-0'", [
          name,
        ]);
      await rename("Wrong");
      await built(world, day(10, 30));
      await rename("Tour OTHER-0");
      const args = ["snapshot", "rollback", "--tenant", deskTenant, "--reason", "wrong prices"];
      await world.desk.run(args, { now: day(10, 40) });
    },
    concerns: ["held"],
    said: /held since .* by ada@desk: wrong prices/,
  },
  {
    name: "no build for days",
    slots: ["time"],
    phase: "log",
    async plant(world) {
      world.now = new Date("2026-11-24T12:00:00.000Z");
    },
    concerns: ["silent"],
    said: /no build has ended since/i,
  },
];

const storeCauses: readonly Cause[] = [
  {
    name: "a damaged manifest",
    slots: ["store"],
    phase: "store",
    plant: ({ desk }) => damageLiveManifest(desk),
    concerns: ["damaged"],
    said: /a published file is damaged/,
    hides: "program",
  },
  {
    name: "a damaged body",
    slots: ["store"],
    phase: "store",
    plant: damageBody,
    said: /a published file is damaged/,
    hides: "program",
  },
  {
    name: "a tenant that is not listed",
    slots: ["tenant", "name", "state", "dates", "row", "capacity", "photo", "build", "time"],
    phase: "source",
    async plant(world) {
      await world.desk.source.query(`DELETE FROM partner_source.tenants WHERE tenant_id = '${deskTenant}'`);
      await built(world, day(11, 40));
    },
    concerns: ["not_in_source"],
    said: /no longer lists tenant/,
    hides: "program",
  },
  {
    name: "a tenant that was removed",
    slots: ["tenant", "name", "state", "dates", "row", "capacity", "photo", "build", "key", "store"],
    phase: "source",
    async plant({ desk }) {
      await desk.source.query(`DELETE FROM partner_source.tenants WHERE tenant_id = '${deskTenant}'`);
      await desk.run(["tenant", "remove", deskTenant], { now: day(11, 40) });
    },
    concerns: ["removed"],
    said: /was removed on/,
    hides: "both",
  },
  {
    name: "a tenant that was renamed",
    slots: ["tenant", "name", "state", "dates", "row", "capacity", "photo", "build", "store", "time", "key"],
    phase: "source",
    async plant(world) {
      const { source, run } = world.desk;
      await source.query(`
        INSERT INTO partner_source.tenants VALUES ('${presentTenant}', 'Sakura Tours');
        CREATE TABLE public.copy AS SELECT * FROM partner_source.programs;
        UPDATE public.copy SET tenant_id = '${presentTenant}';
        INSERT INTO partner_source.programs SELECT * FROM public.copy; DROP TABLE public.copy`);
      await world.desk.build({ now: day(11, 10), args: ["--allow-shared"] });
      await run(["tenant", "rename", deskTenant, presentTenant], { now: day(11, 20) });
    },
    concerns: ["renamed"],
    said: /sakura-trails is sakura-tours now/,
    hides: "both",
  },
];

const keyCauses: readonly Cause[] = [
  {
    name: "a key that ends soon",
    slots: ["key"],
    phase: "key",
    plant: (world) => issue(world, "--expires", "2026-11-27T00:00:00Z"),
    concerns: ["token_expires"],
  },
  {
    name: "a key that has ended",
    slots: ["key"],
    phase: "key",
    plant: (world) => issue(world, "--expires", day(9).toISOString()),
    concerns: ["token_expired"],
  },
];

const logCauses: readonly Cause[] = [
  {
    name: "answers of 500",
    slots: ["log 500"],
    phase: "log",
    async plant(world) {
      world.log.push(answer(world, { status: 500, causeCode: "store_unavailable", cause: "It is away." }));
    },
    concerns: ["answers_failed"],
  },
  {
    name: "answers of 429",
    slots: ["log 429"],
    phase: "log",
    async plant(world) {
      world.log.push(answer(world, { status: 429, causeCode: "quota_exceeded", cause: "quota exceeded" }));
    },
    concerns: ["answers_limited"],
  },
  {
    name: "answers of 401",
    slots: ["log 401"],
    phase: "log",
    async plant(world) {
      world.log.push(answer(world, { status: 401, causeCode: "revoked_token", cause: "revoked token" }));
    },
    concerns: ["answers_refused"],
  },
  {
    name: "a gateway with another store",
    slots: ["gateway"],
    phase: "log",
    async plant(world) {
      const time = new Date(world.now.getTime() - 1_800_000).toISOString();
      world.log.push(
        `${JSON.stringify({ time, api: "http://x", storeId: "store_another", msg: "listening" })}\n`,
      );
    },
  },
];

export const causes: readonly Cause[] = [
  ...sourceCauses,
  ...buildCauses,
  ...storeCauses,
  ...keyCauses,
  ...logCauses,
];

/** Whether both can be so at once. */
export function isPossible(some: readonly Cause[]): boolean {
  const slots = some.flatMap((cause) => cause.slots);
  return new Set(slots).size === slots.length;
}

/** Plants the causes in the order in which they happen. */
export async function plantWorld(desk: SupportDesk, some: readonly Cause[]): Promise<World> {
  await desk.reset();
  const world: World = { desk, now: day(12), log: [], key: "", onInvalid: "report", undo: null };
  for (const programId of others) {
    await desk.source.insert("programs", {
      tenant_id: deskTenant,
      program_id: programId,
      name: `Tour ${programId}`,
      lifecycle_state: "active",
      capacity_total: 10,
    });
  }
  if (some.some(({ name }) => name.startsWith("a fault of another"))) world.onInvalid = "fail";
  await built(world, day(8));
  await issue(world);
  for (const phase of ["build", "source", "store", "key"] as const) {
    for (const cause of some.filter((one) => one.phase === phase)) await cause.plant(world);
  }
  // What makes builds fail goes on until somebody mends it; the explanation asks views that work.
  if (world.undo !== null) await desk.source.query(world.undo);
  const late = some.filter(({ phase }) => phase === "log");
  for (const cause of late.toSorted((a) => (a.slots.includes("time") ? -1 : 1))) await cause.plant(world);
  return world;
}

async function built({ desk, onInvalid }: World, now: Date): Promise<void> {
  await desk.build({ now, args: ["--on-invalid", onInvalid] });
}

async function issue(world: World, ...options: readonly string[]): Promise<void> {
  const args = ["token", "create", "--tenant", deskTenant, "--name", "Website", ...options];
  const made = (await world.desk.json(args, { now: day(7) })) as { readonly tokenId: string };
  world.key = made.tokenId;
}

/** A line of the last hour. */
function answer({ now, key }: World, fields: Readonly<Record<string, unknown>>): string {
  const time = new Date(now.getTime() - 600_000).toISOString();
  const own = { tokenId: key, tenantId: deskTenant, limit: 600, windowSeconds: 60 };
  return logLine({ ...own, requestId: `r-${String(fields.status)}`, time, ...fields });
}

async function damageBody({ desk: { storeDirectory } }: World): Promise<void> {
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
  if (/\bName\b|garbled texts/.test(text)) await change("name = 'Temples of Kyoto'");
  if (text.includes("Places in all")) await change("capacity_total = 20");
  if (text.includes("Cover picture")) await change("cover_url = 'https://img.example/kyoto.jpg'");
  if (text.includes("a value above")) {
    await change("capacity_total = 20, cover_url = 'https://img.example/kyoto.jpg'");
  }
  if (text.includes("One of the two programs of this id has to go")) {
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
