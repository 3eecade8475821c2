import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deskTenant, type SupportDesk } from "./support-desk.ts";

/**
 * What may stand between the booking system and partners, planted for real: each leaves a tenant that was
 * built with the programs of `fillForPlants`, and whatever changes now is on its way or not.
 */
export interface Plant {
  /** As in the second half of a row's name. */
  readonly way: string;
  plant(desk: SupportDesk, onInvalid: "report" | "fail"): Promise<void>;
}

export const builtAt = new Date("2026-11-21T08:00:00.000Z");
const builtAgainAt = new Date("2026-11-21T10:00:00.000Z");
const plantedAt = new Date("2026-11-21T11:00:00.000Z");
export const askedAt = new Date("2026-11-21T12:00:00.000Z");

/** Of a tenant that is asked about much later. */
export const silentUntil = new Date("2026-11-24T12:00:00.000Z");

const published = ["SAME", "DROPPED", "DIFFERS", "ABSENT", "WITHDRAWN", "FAULTY", "GONE"];
const others = Array.from({ length: 9 }, (_, at) => `OTHER-${at}`);

/** Enough programs that losing some trips no guard. */
async function fillForPlants({ source }: SupportDesk): Promise<void> {
  await source.query("DELETE FROM partner_source.programs; DELETE FROM partner_source.room_prices");
  for (const programId of [...published, ...others]) await insert(source, programId, "active");
  await source.query(
    "UPDATE partner_source.programs SET cover_url = 'http://img.example/x.jpg' WHERE program_id = 'DROPPED'",
  );
}

/** What somebody changes in the booking system after the last build. */
export async function changeTheSource({ source }: SupportDesk): Promise<void> {
  await source.query(`
    UPDATE partner_source.programs SET name = 'Another' WHERE program_id = 'DIFFERS';
    DELETE FROM partner_source.programs WHERE program_id = 'ABSENT';
    UPDATE partner_source.programs SET lifecycle_state = 'cancelled' WHERE program_id = 'WITHDRAWN';
    UPDATE partner_source.programs SET name = ' ' WHERE program_id = 'FAULTY'`);
  await insert(source, "NEW", "active");
  await insert(source, "DRAFT", "draft");
  await insert(source, "BROKEN", "active");
  await source.query("UPDATE partner_source.programs SET name = '' WHERE program_id = 'BROKEN'");
}

export const plants: readonly Plant[] = [
  { way: "none", plant: builtTwice },
  {
    way: "interrupted",
    async plant(desk, onInvalid) {
      await builtTwice(desk, onInvalid);
      await desk.build({
        now: plantedAt,
        args: ["--on-invalid", onInvalid],
        signal: AbortSignal.abort(),
      });
    },
  },
  {
    way: "unseen",
    async plant(desk, onInvalid) {
      await builtTwice(desk, onInvalid);
      await rm(join(desk.storeDirectory, "runs"), { recursive: true });
    },
  },
  {
    way: "held",
    async plant(desk, onInvalid) {
      await builtTwice(desk, onInvalid);
      const rename = (name: string) =>
        desk.source.query("UPDATE partner_source.programs SET name = $1 WHERE program_id = 'OTHER-0'", [
          name,
        ]);
      await rename("Wrong");
      await desk.build({ now: plantedAt, args: ["--on-invalid", onInvalid] });
      await rename("Tour OTHER-0");
      await desk.run(["snapshot", "rollback", "--tenant", deskTenant], { now: plantedAt });
    },
  },
  {
    way: "failing",
    async plant(desk, onInvalid) {
      await builtTwice(desk, onInvalid);
      await desk.source.query("ALTER TABLE partner_source.faq RENAME TO gone");
      await desk.build({ now: plantedAt, args: ["--on-invalid", onInvalid] });
      await desk.source.query("ALTER TABLE partner_source.gone RENAME TO faq");
    },
  },
  { way: "silent", plant: builtTwice },
  {
    way: "guard",
    async plant(desk, onInvalid) {
      await builtTwice(desk, onInvalid);
      await desk.source.query(`
        CREATE TABLE public.kept AS SELECT * FROM partner_source.programs WHERE program_id <> 'SAME';
        DELETE FROM partner_source.programs WHERE program_id <> 'SAME'`);
      await desk.build({ now: plantedAt, args: ["--on-invalid", onInvalid] });
      await desk.source.query(
        "INSERT INTO partner_source.programs SELECT * FROM public.kept; DROP TABLE public.kept",
      );
    },
  },
  {
    way: "faults",
    async plant(desk, onInvalid) {
      await builtTwice(desk, onInvalid);
      await desk.source.query("UPDATE partner_source.programs SET name = '' WHERE program_id = 'OTHER-1'");
      await desk.build({ now: plantedAt, args: ["--on-invalid", onInvalid] });
    },
  },
];

/** The first of them still has GONE, which the next takes out; a row of GONE stands for whatever was lost like that. */
async function builtTwice(desk: SupportDesk, onInvalid: "report" | "fail"): Promise<void> {
  await fillForPlants(desk);
  await desk.build({ now: builtAt, args: ["--on-invalid", onInvalid] });
  await desk.source.query("DELETE FROM partner_source.programs WHERE program_id = 'GONE'");
  await desk.build({ now: builtAgainAt, args: ["--on-invalid", onInvalid] });
}

/** What nobody wrote: one byte more behind the live manifest. */
export async function damageLiveManifest({ storeDirectory }: SupportDesk): Promise<void> {
  const tenant = join(storeDirectory, "tenants", deskTenant);
  const { snapshotId } = JSON.parse(await readFile(join(tenant, "current.json"), "utf8"));
  const manifest = join(tenant, "snapshots", snapshotId, "manifest.json");
  await writeFile(manifest, `${await readFile(manifest, "utf8")} `);
}

async function insert(source: SupportDesk["source"], programId: string, state: string): Promise<void> {
  await source.insert("programs", {
    tenant_id: deskTenant,
    program_id: programId,
    name: `Tour ${programId}`,
    lifecycle_state: state,
    capacity_total: 10,
  });
}
