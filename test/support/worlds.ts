import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CommandResult } from "./command-line.ts";
import { logLine } from "./log-lines.ts";
import { damageLiveManifest, deskTenant, type SupportDesk } from "./support-desk.ts";

// Worlds in which one thing went wrong, planted for real, and what is to be said of each by the planting alone.

export const program = "KYOTO-1";
export const where = `WHERE tenant_id = '${deskTenant}' AND program_id = '${program}'`;
export const another = "WHERE program_id = 'OTHER-1'";
const presentTenant = "sakura-tours";
/** A time of the day on which all worlds are planted, in UTC. */
export const day = (hour: number): Date => new Date(Date.UTC(2026, 10, 21, hour));

export interface World {
  readonly desk: SupportDesk;
  /** The id of the partner's access key. */
  readonly tokenId: string;
  /** The gateway's log. */
  readonly log: string[];
}

export interface Cause {
  readonly name: string;
  readonly plant: (world: World) => Promise<unknown>;
  /** The concerns of the tenant that tell of it. */
  readonly concerns?: readonly string[];
  /** What the explanation of the program has to say of it. */
  readonly said?: RegExp;
  /** Another name of the program waits behind it. */
  readonly isInTheWay?: true;
  readonly onInvalid?: "fail";
  /** When somebody asks, unless it is noon of the same day. */
  readonly askedAt?: Date;
}

export const causes: readonly Cause[] = [
  // In the booking system.
  {
    name: "another name",
    plant: ({ desk }) => update(desk, "name = 'Shrines of Kyoto'"),
    said: /older version.*Name/,
  },
  { name: "no name", plant: ({ desk }) => update(desk, "name = ' '"), said: /has no name/ },
  {
    name: "cancelled",
    plant: ({ desk }) => update(desk, "lifecycle_state = 'cancelled'"),
    said: /the source says "cancelled"/,
  },
  {
    name: "ended by its dates",
    plant: ({ desk }) =>
      update(desk, "lifecycle_state = 'ended', departure_date = '2026-11-01', return_date = '2026-11-05'"),
    said: /the source says "ended"/,
  },
  {
    name: "an unknown state",
    plant: ({ desk }) => update(desk, "lifecycle_state = 'on sale'"),
    said: /state "on sale" is not one of/,
  },
  {
    name: "deleted",
    plant: ({ desk }) => desk.source.query(`DELETE FROM partner_source.programs ${where}`),
    said: /no longer has it/,
  },
  {
    name: "two rows",
    plant: ({ desk }) =>
      desk.source.query(`INSERT INTO partner_source.programs SELECT * FROM partner_source.programs ${where}`),
    said: /Several programs in the booking system have this id/,
  },
  {
    name: "no capacity",
    plant: ({ desk }) => update(desk, "capacity_total = NULL"),
    said: /No capacity in the booking system/,
  },
  {
    name: "a photo without https",
    plant: ({ desk }) => update(desk, "cover_url = 'http://img.example/kyoto.jpg'"),
    said: /only absolute https URLs/,
  },
  {
    name: "a tenant that is not listed",
    async plant({ desk }) {
      // A source without any tenant fails a run.
      await desk.source.query(`
        UPDATE partner_source.tenants SET tenant_id = 'alpine' WHERE tenant_id = '${deskTenant}';
        INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, capacity_total)
          VALUES ('alpine', 'EIGER', 'Eiger', 'active', 10)`);
      await build(desk);
    },
    concerns: ["not_in_source"],
    said: /no longer lists tenant/,
  },
  {
    name: "a tenant that was removed",
    async plant({ desk }) {
      await desk.source.query(`DELETE FROM partner_source.tenants WHERE tenant_id = '${deskTenant}'`);
      await desk.run(["tenant", "remove", deskTenant], { now: day(11) });
    },
    concerns: ["removed"],
    said: /was removed on/,
  },
  {
    name: "a tenant that was renamed",
    async plant({ desk }) {
      await desk.source.query(`
        INSERT INTO partner_source.tenants VALUES ('${presentTenant}', 'Sakura Tours');
        CREATE TABLE public.copy AS SELECT * FROM partner_source.programs;
        UPDATE public.copy SET tenant_id = '${presentTenant}';
        INSERT INTO partner_source.programs SELECT * FROM public.copy; DROP TABLE public.copy`);
      await build(desk, "--allow-shared");
      await desk.run(["tenant", "rename", deskTenant, presentTenant], { now: day(11) });
    },
  },

  // In builds of what it holds.
  {
    name: "a view that fails",
    async plant({ desk }) {
      await desk.source.query("ALTER TABLE partner_source.faq RENAME TO gone");
      await build(desk);
      // The explanation asks views that work.
      await desk.source.query("ALTER TABLE partner_source.gone RENAME TO faq");
    },
    concerns: ["failing"],
    said: /builds fail/i,
    isInTheWay: true,
  },
  {
    name: "a build that was stopped",
    plant: ({ desk }) => desk.build({ now: day(11), signal: AbortSignal.abort() }),
    concerns: ["interrupted"],
    isInTheWay: true,
  },
  {
    name: "builds that left no record",
    plant: ({ desk }) => rm(join(desk.storeDirectory, "runs"), { recursive: true }),
    concerns: ["unseen"],
    isInTheWay: true,
  },
  {
    name: "a build that was refused",
    async plant({ desk }) {
      await desk.source.query(`
        CREATE TABLE public.kept AS SELECT * FROM partner_source.programs WHERE program_id <> '${program}';
        DELETE FROM partner_source.programs WHERE program_id <> '${program}'`);
      await build(desk);
      await desk.source.query(
        "INSERT INTO partner_source.programs SELECT * FROM public.kept; DROP TABLE public.kept",
      );
    },
    concerns: ["guard"],
    said: /was refused/,
    isInTheWay: true,
  },
  {
    name: "a fault of another program that stops builds",
    async plant({ desk }) {
      await update(desk, "name = ''", another);
      await build(desk, "--on-invalid", "fail");
    },
    onInvalid: "fail",
    concerns: ["faults"],
    said: /stopped at program "OTHER-1"|builds of this tenant stop/,
    isInTheWay: true,
  },
  {
    name: "another program left out",
    async plant({ desk }) {
      await update(desk, "name = ''", another);
      await build(desk);
    },
    concerns: ["left_out"],
  },
  {
    name: "a hold",
    async plant({ desk }) {
      await update(desk, "name = 'Wrong'", another);
      await build(desk);
      await update(desk, "name = 'Tour OTHER-1'", another);
      const args = ["snapshot", "rollback", "--tenant", deskTenant, "--reason", "wrong prices"];
      await desk.run(args, { now: day(11) });
    },
    concerns: ["held"],
    said: /held since .*: wrong prices/,
    isInTheWay: true,
  },
  {
    name: "no build for days, and the last one failed",
    plant: ({ desk }) => desk.build({ now: day(11), signal: AbortSignal.abort() }),
    askedAt: new Date("2026-11-24T12:00:00.000Z"),
    concerns: ["silent"],
    said: /no build has ended since/i,
    isInTheWay: true,
  },

  // Behind a build: in the store, with access keys, and as the gateways' log tells it.
  {
    name: "a damaged manifest",
    plant: ({ desk }) => damageLiveManifest(desk),
    concerns: ["damaged"],
    said: /a published file is damaged/,
  },
  { name: "a damaged body", plant: damageBody, said: /a published file is damaged/ },
  {
    name: "a key that ends soon",
    plant: ({ desk }) => createKey(desk, "--expires", "2026-11-27T00:00:00Z"),
    concerns: ["token_expires"],
  },
  {
    name: "a key that has ended",
    plant: ({ desk }) => createKey(desk, "--expires", day(9).toISOString()),
    concerns: ["token_expired"],
  },
  {
    name: "answers of 500",
    plant: (world) => answer(world, { status: 500, causeCode: "store_unavailable", cause: "It is away." }),
    concerns: ["answers_failed"],
  },
  {
    name: "answers of 429",
    plant: (world) => answer(world, { status: 429, causeCode: "quota_exceeded", cause: "quota exceeded" }),
    concerns: ["answers_limited"],
  },
  {
    name: "answers of 401",
    plant: (world) => answer(world, { status: 401, causeCode: "revoked_token", cause: "revoked token" }),
    concerns: ["answers_refused"],
  },
];

/** Faults of the program in the booking system that can come together. */
export const programFaults = ["no name", "cancelled", "two rows", "no capacity", "a photo without https"];

/** What may have become of the whole tenant, whatever its program is like. */
export const tenantStates: readonly Cause[] = [
  {
    name: "a tenant that was never published",
    // What the store had of it is gone, but for the access keys and what runs recorded.
    plant: ({ desk }) => rm(join(desk.storeDirectory, "tenants"), { recursive: true }),
    concerns: ["never_published"],
    said: /nothing is published for tenant/,
  },
  {
    name: "a tenant that was removed and is listed again",
    async plant({ desk }) {
      await desk.source.query(`DELETE FROM partner_source.tenants WHERE tenant_id = '${deskTenant}'`);
      await desk.run(["tenant", "remove", deskTenant], { now: day(11) });
      await desk.source.query(`INSERT INTO partner_source.tenants VALUES ('${deskTenant}', 'Sakura')`);
    },
    concerns: ["removed"],
    said: /was removed on .* lists the tenant again/,
  },
  ...["a damaged manifest", "a damaged body"].map(causeNamed),
  // A stated withdrawal passes a hold, so the hold is not always said.
  { ...causeNamed("a hold"), said: /./ },
];

export function causeNamed(name: string): Cause {
  const found = causes.find((cause) => cause.name === name);
  if (found === undefined) throw new Error(`no cause is named ${name}`);
  return found;
}

/** A store in which nothing went wrong yet. */
export async function beginWorld(desk: SupportDesk, { onInvalid }: Cause): Promise<World> {
  await desk.reset();
  for (let at = 0; at < 12; at += 1) await insertProgram(desk, `OTHER-${at}`, `Tour OTHER-${at}`);
  await desk.build({ now: day(8), args: ["--on-invalid", onInvalid ?? "report"] });
  return { desk, tokenId: await createKey(desk), log: [] };
}

export async function update({ source }: SupportDesk, set: string, of = where): Promise<void> {
  await source.query(`UPDATE partner_source.programs SET ${set} ${of}`);
}

export async function insertProgram({ source }: SupportDesk, programId: string, name: string): Promise<void> {
  const row = { tenant_id: deskTenant, lifecycle_state: "active", capacity_total: 20 };
  await source.insert("programs", { ...row, program_id: programId, name });
}

async function build(desk: SupportDesk, ...args: readonly string[]): Promise<CommandResult> {
  return await desk.build({ now: day(11), args });
}

async function createKey(desk: SupportDesk, ...options: readonly string[]): Promise<string> {
  const args = ["token", "create", "--tenant", deskTenant, "--name", "Website", ...options];
  return ((await desk.json(args, { now: day(7) })) as { readonly tokenId: string }).tokenId;
}

/** A line of the last hour. */
async function answer({ tokenId, log }: World, fields: Readonly<Record<string, unknown>>): Promise<void> {
  const time = "2026-11-21T11:50:00.000Z";
  const own = { tokenId, tenantId: deskTenant, limit: 600, windowSeconds: 60, requestId: "r-1", time };
  log.push(logLine({ ...own, ...fields }));
}

async function damageBody({ desk }: World): Promise<void> {
  const tenant = join(desk.storeDirectory, "tenants", deskTenant);
  const { snapshotId } = JSON.parse(await readFile(join(tenant, "current.json"), "utf8"));
  const manifest = JSON.parse(await readFile(join(tenant, "snapshots", snapshotId, "manifest.json"), "utf8"));
  const file = join(desk.storeDirectory, manifest.programs[program].key);
  await writeFile(file, (await readFile(file, "utf8")).replace("active", "acTive"));
}
