import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CommandResult } from "./command-line.ts";
import { forgeResponse } from "./forge-response.ts";
import { logLine } from "./log-lines.ts";
import { damageLiveManifest, deskTenant, type SupportDesk } from "./support-desk.ts";

// Worlds in which one thing went wrong, planted for real, and what is to be said of each by the planting
// alone.

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
  /** The time of the next thing that happens: each a minute after the one before, from eleven o'clock on. */
  readonly next: () => Date;
  /** A build at that time. */
  readonly build: (...args: readonly string[]) => Promise<CommandResult>;
}

export interface Cause {
  readonly name: string;
  /**
   * Where it is planted, and what else it takes up there: causes that have one in common cannot exist
   * together.
   */
  readonly where: readonly [place: Place, ...also: readonly string[]];
  readonly plant: (world: World) => Promise<unknown>;
  /** The concerns of the tenant that tell of it. */
  readonly concerns?: readonly string[];
  /** What the explanation of the program has to say of it, in its summary or its steps. */
  readonly said?: RegExp;
  /**
   * The same where something is to be said of the whole tenant first, if it is something else; `null` for
   * nothing.
   */
  readonly saidBeside?: RegExp | null;
  /** Another name of the program waits behind it. */
  readonly isInTheWay?: true;
  readonly onInvalid?: "fail";
  /** When somebody asks, unless it is noon of the same day. */
  readonly askedAt?: Date;
}

/** In the order in which causes are planted. */
export const places = ["hold", "build", "key", "log", "tenant", "store", "program"] as const;
type Place = (typeof places)[number];

export const causes: readonly Cause[] = [
  // In the booking system.
  {
    ...changed("another name", "name", "name = 'Shrines of Kyoto'", /older version.*Name/),
    saidBeside: null,
  },
  changed("no name", "name", "name = ' '", /has no name/),
  changed("cancelled", "state", "lifecycle_state = 'cancelled'", /the source says "cancelled"/),
  changed(
    "ended by its dates",
    "state",
    "lifecycle_state = 'ended', departure_date = '2026-11-01', return_date = '2026-11-05'",
    /the source says "ended"/,
  ),
  changed("an unknown state", "state", "lifecycle_state = 'on sale'", /state "on sale" is not one of/),
  {
    name: "deleted",
    where: ["program", "name", "state", "rows", "capacity", "photo"],
    plant: ({ desk }) => desk.source.query(`DELETE FROM partner_source.programs ${where}`),
    said: /no longer has it/,
    saidBeside: /does not have it/,
  },
  {
    name: "two rows",
    where: ["program", "rows"],
    plant: ({ desk }) =>
      desk.source.query(`INSERT INTO partner_source.programs SELECT * FROM partner_source.programs ${where}`),
    said: /Several programs in the booking system have this id/,
  },
  changed("no capacity", "capacity", "capacity_total = NULL", /No capacity in the booking system/),
  changed(
    "a photo without https",
    "photo",
    "cover_url = 'http://img.example/kyoto.jpg'",
    /only absolute https URLs/,
  ),
  {
    name: "a tenant that is not listed",
    where: ["tenant", "tenant"],
    async plant({ desk, build }) {
      // A source without any tenant fails a run.
      await desk.source.query(`
        UPDATE partner_source.tenants SET tenant_id = 'alpine' WHERE tenant_id = '${deskTenant}';
        INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, capacity_total)
          VALUES ('alpine', 'EIGER', 'Eiger', 'active', 10)`);
      await build();
    },
    concerns: ["not_in_source"],
    said: /(no longer lists|does not list) tenant/,
  },
  {
    name: "a tenant that was removed",
    where: ["tenant", "tenant"],
    async plant({ desk, next }) {
      await desk.source.query(`DELETE FROM partner_source.tenants WHERE tenant_id = '${deskTenant}'`);
      await desk.run(["tenant", "remove", deskTenant], { now: next() });
    },
    concerns: ["removed"],
    said: /was removed on/,
  },
  {
    name: "a tenant that was renamed",
    where: ["tenant", "tenant", "last build"],
    async plant({ desk, build, next }) {
      await desk.source.query(`
        INSERT INTO partner_source.tenants VALUES ('${presentTenant}', 'Sakura Tours');
        CREATE TABLE public.copy AS SELECT * FROM partner_source.programs;
        UPDATE public.copy SET tenant_id = '${presentTenant}';
        INSERT INTO partner_source.programs SELECT * FROM public.copy; DROP TABLE public.copy`);
      await build("--allow-shared");
      await desk.run(["tenant", "rename", deskTenant, presentTenant], { now: next() });
    },
  },
  {
    name: "a tenant that was never published",
    where: ["tenant", "tenant", "hold", "file"],
    // What the store had of it is gone, but for the access keys and what runs recorded.
    plant: ({ desk }) => rm(join(desk.storeDirectory, "tenants"), { recursive: true }),
    concerns: ["never_published"],
    said: /nothing is published for tenant/,
  },
  {
    name: "a tenant that was removed and is listed again",
    where: ["tenant", "tenant"],
    async plant({ desk, next }) {
      await desk.source.query(`DELETE FROM partner_source.tenants WHERE tenant_id = '${deskTenant}'`);
      await desk.run(["tenant", "remove", deskTenant], { now: next() });
      await desk.source.query(`INSERT INTO partner_source.tenants VALUES ('${deskTenant}', 'Sakura')`);
    },
    concerns: ["removed"],
    said: /was removed on .* lists the tenant again/,
  },

  // In builds of what it holds.
  {
    name: "a view that fails",
    where: ["build", "last build"],
    async plant({ desk, build }) {
      await desk.source.query("ALTER TABLE partner_source.faq RENAME TO gone");
      await build();
      // The explanation asks views that work.
      await desk.source.query("ALTER TABLE partner_source.gone RENAME TO faq");
    },
    concerns: ["failing"],
    said: /builds fail/i,
    isInTheWay: true,
  },
  {
    name: "a build that was stopped",
    where: ["build", "last build"],
    plant: ({ desk, next }) => desk.build({ now: next(), signal: AbortSignal.abort() }),
    concerns: ["interrupted"],
    said: /stopped before it was done|see that builds come/,
    isInTheWay: true,
  },
  {
    name: "builds that left no record",
    where: ["build", "last build"],
    plant: ({ desk }) => rm(join(desk.storeDirectory, "runs"), { recursive: true }),
    concerns: ["unseen"],
    said: /No build is on record|see that builds come/,
    isInTheWay: true,
  },
  {
    name: "a build that was refused",
    where: ["build", "last build"],
    async plant({ desk, build }) {
      await desk.source.query(`
        CREATE TABLE public.kept AS SELECT * FROM partner_source.programs WHERE program_id <> '${program}';
        DELETE FROM partner_source.programs WHERE program_id <> '${program}'`);
      await build();
      await desk.source.query(
        "INSERT INTO partner_source.programs SELECT * FROM public.kept; DROP TABLE public.kept",
      );
    },
    concerns: ["guard"],
    said: /was refused/,
    isInTheWay: true,
  },
  refused(
    "amounts of another scale",
    /amounts|does not keep it back/,
    "room_prices",
    "amount = amount * 100",
  ),
  refused(
    "a field that most programs lose",
    /fields|something that|not keep it back/,
    "programs",
    "currency = NULL",
  ),
  {
    name: "programs of another tenant that keep a build back",
    where: ["build", "last build"],
    async plant({ desk, build }) {
      await desk.source.query(`
        INSERT INTO partner_source.tenants VALUES ('${presentTenant}', 'Sakura Tours');
        INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, capacity_total)
          SELECT tenant_id, 'SHARED-' || at, 'Tour SHARED-' || at, 'active', 9
            FROM partner_source.tenants, generate_series(1, 20) AS at`);
      await build();
      await desk.source.query(
        `DELETE FROM partner_source.programs WHERE program_id ~ '^SHARED' AND tenant_id = '${deskTenant}'`,
      );
    },
    concerns: ["guard"],
    said: /another company|both companies|not keep it back/,
    isInTheWay: true,
  },
  {
    name: "a build that took it out with most programs",
    where: ["build", "last build", "state", "the program's file"],
    async plant({ desk, build }) {
      await update(desk, "lifecycle_state = 'cancelled'", "WHERE program_id <> 'NARA-2'");
      await build();
    },
    concerns: ["mostly_withdrawn"],
    said: /went with most of its tenant: a build withdrew 13 of 14 programs/,
    saidBeside: null,
  },
  {
    name: "a run that found a difference",
    // Nothing is proven of a tenant on hold.
    where: ["build", "last build", "hold"],
    async plant({ desk, build }) {
      const none = '{"data":[],"meta":{"count":0}}';
      await forgeResponse(desk.store, deskTenant, { kind: "list" }, () => none);
      await build();
    },
    concerns: ["snapshot_differs"],
    said: /unchanged rows give, .* may have seen something else/,
    saidBeside: null,
  },
  {
    name: "a fault of another program that stops builds",
    where: ["build", "last build"],
    async plant({ desk, build }) {
      await update(desk, "name = ''", another);
      await build("--on-invalid", "fail");
    },
    onInvalid: "fail",
    concerns: ["faults"],
    said: /stopped at program "OTHER-1"|builds of this tenant stop|faults of other programs|"OTHER-1" corrected/,
    isInTheWay: true,
  },
  {
    name: "another program left out",
    where: ["build", "last build"],
    async plant({ desk, build }) {
      await update(desk, "name = ''", another);
      await build();
    },
    concerns: ["left_out"],
  },
  {
    name: "a hold",
    where: ["hold", "hold"],
    async plant({ desk, build, next }) {
      await update(desk, "name = 'Wrong'", another);
      await build();
      await update(desk, "name = 'Tour OTHER-1'", another);
      const args = ["snapshot", "rollback", "--tenant", deskTenant, "--reason", "wrong prices"];
      await desk.run(args, { now: next() });
    },
    concerns: ["held"],
    said: /held since .*: wrong prices|the hold /i,
    isInTheWay: true,
  },
  {
    name: "no build for days, and the last one failed",
    where: ["build", "last build"],
    plant: ({ desk, next }) => desk.build({ now: next(), signal: AbortSignal.abort() }),
    askedAt: new Date("2026-11-24T12:00:00.000Z"),
    concerns: ["silent"],
    said: /no build (has ended since|comes)/i,
    isInTheWay: true,
  },

  // Behind a build: in the store, with access keys, and as the gateways' log tells it.
  {
    name: "a damaged manifest",
    where: ["store", "file"],
    plant: ({ desk }) => damageLiveManifest(desk),
    concerns: ["damaged"],
    said: /a published file is damaged/,
  },
  {
    name: "a damaged body",
    where: ["store", "file", "the program's file"],
    plant: damageBody,
    said: /a published file is damaged/,
  },
  {
    name: "a key that ends soon",
    where: ["key"],
    plant: ({ desk }) => createKey(desk, "--expires", "2026-11-27T00:00:00Z"),
    concerns: ["token_expires"],
  },
  {
    name: "a key that has ended",
    where: ["key"],
    plant: ({ desk }) => createKey(desk, "--expires", day(9).toISOString()),
    concerns: ["token_expired"],
  },
  answered(500, "answers_failed", { causeCode: "store_unavailable", cause: "It is away." }),
  answered(429, "answers_limited", { causeCode: "quota_exceeded", cause: "quota exceeded" }),
  answered(401, "answers_refused", { causeCode: "revoked_token", cause: "revoked token" }),
];

export function causeNamed(name: string): Cause {
  const found = causes.find((cause) => cause.name === name);
  if (found === undefined) throw new Error(`no cause is named ${name}`);
  return found;
}

/** Columns of the program that say something else. */
function changed(name: string, part: string, set: string, said: RegExp): Cause {
  return { name, where: ["program", part], plant: ({ desk }) => update(desk, set), said };
}

/** A run that a guard refused, of rows that are as before by now. */
function refused(name: string, said: RegExp, view: string, set: string): Cause {
  return {
    name,
    where: ["build", "last build"],
    async plant({ desk, build }) {
      await desk.source.query(`
        CREATE TABLE public.kept AS SELECT * FROM partner_source.${view}; UPDATE partner_source.${view} SET ${set}`);
      await build();
      await desk.source.query(`DELETE FROM partner_source.${view};
        INSERT INTO partner_source.${view} SELECT * FROM public.kept; DROP TABLE public.kept`);
    },
    concerns: ["guard"],
    said,
    isInTheWay: true,
  };
}

/** A store in which nothing went wrong yet. */
export async function beginWorld(desk: SupportDesk, onInvalid = "report"): Promise<World> {
  await desk.reset();
  for (let at = 0; at < 12; at += 1) await insertProgram(desk, `OTHER-${at}`, `Tour OTHER-${at}`);
  await desk.source.query(`
    UPDATE partner_source.programs SET currency = 'EUR' WHERE program_id ~ '^OTHER';
    INSERT INTO partner_source.room_prices (tenant_id, program_id, occupancy, amount)
      SELECT tenant_id, program_id, 2, 990 FROM partner_source.programs WHERE program_id ~ '^OTHER'`);
  await desk.build({ now: day(8), args: ["--on-invalid", onInvalid] });
  let minutes = 0;
  const next = (): Date => {
    minutes += 1;
    return new Date(day(11).getTime() + minutes * 60_000);
  };
  const build = (...args: readonly string[]): Promise<CommandResult> => desk.build({ now: next(), args });
  return { desk, tokenId: await createKey(desk), log: [], next, build };
}

export async function update({ source }: SupportDesk, set: string, of = where): Promise<void> {
  await source.query(`UPDATE partner_source.programs SET ${set} ${of}`);
}

export async function insertProgram({ source }: SupportDesk, programId: string, name: string): Promise<void> {
  const row = { tenant_id: deskTenant, lifecycle_state: "active", capacity_total: 20 };
  await source.insert("programs", { ...row, program_id: programId, name });
}

async function createKey(desk: SupportDesk, ...options: readonly string[]): Promise<string> {
  const args = ["token", "create", "--tenant", deskTenant, "--name", "Website", ...options];
  return ((await desk.json(args, { now: day(7) })) as { readonly tokenId: string }).tokenId;
}

/** A line of the last hour. */
function answered(status: number, concern: string, cause: Readonly<Record<string, string>>): Cause {
  const time = "2026-11-21T11:50:00.000Z";
  const own = { tenantId: deskTenant, limit: 600, windowSeconds: 60, requestId: "r-1", time };
  return {
    name: `answers of ${status}`,
    where: ["log"],
    plant: async ({ tokenId, log }) => log.push(logLine({ ...own, tokenId, status, ...cause })),
    concerns: [concern],
  };
}

async function damageBody({ desk }: World): Promise<void> {
  const tenant = join(desk.storeDirectory, "tenants", deskTenant);
  const { snapshotId } = JSON.parse(await readFile(join(tenant, "current.json"), "utf8"));
  const manifest = JSON.parse(await readFile(join(tenant, "snapshots", snapshotId, "manifest.json"), "utf8"));
  const file = join(desk.storeDirectory, manifest.programs[program].key);
  await writeFile(file, (await readFile(file, "utf8")).replace("active", "acTive"));
}
