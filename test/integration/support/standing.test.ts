import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { editRemovedTenants, withRemoved } from "../../../cli/publish/snapshot/removed-tenants.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { freshForEachTest } from "../../support/lasting.ts";
import { standingRowIds } from "../../support/standing-rows.ts";
import {
  damageLiveManifest,
  deskTenant,
  openSupportDesk,
  type SupportDesk,
} from "../../support/support-desk.ts";

const desk = freshForEachTest(openSupportDesk);
const builtAt = new Date("2026-11-21T08:00:00.000Z");
const builtAgainAt = new Date("2026-11-21T10:00:00.000Z");
const askedAt = new Date("2026-11-21T12:00:00.000Z");
const reached = new Set<string>();

interface Explained {
  readonly row: string;
  readonly answer: number;
  readonly summary: string;
  readonly next: { readonly text: string };
}

async function explained(programId: string, now = askedAt, env = {}): Promise<Explained> {
  const args = ["snapshot", "explain", "--tenant", deskTenant, "--program", programId];
  // P56: of a tenant that nobody knows it is exit status 1, with the explanation all the same.
  const { stdout } = await desk.run([...args, "--json"], { now, env });
  const explanation: Explained = JSON.parse(stdout);
  reached.add(explanation.row);
  return explanation;
}

const published = ["SAME", "DROPPED", "DIFFERS", "ABSENT", "WITHDRAWN", "FAULTY", "GONE"];
const others = Array.from({ length: 9 }, (_, at) => `OTHER-${at}`);

/** Enough programs that losing some trips no guard. */
async function fillForPlants({ source }: SupportDesk): Promise<void> {
  await source.query("DELETE FROM partner_source.programs; DELETE FROM partner_source.room_prices");
  for (const programId of [...published, ...others]) await insert(source, programId, "active");
  await source.update("cover_url = 'http://img.example/x.jpg'", "DROPPED");
}

/** What somebody changes in the booking system after the last build. */
async function changeTheSource({ source }: SupportDesk): Promise<void> {
  await source.query(`
    UPDATE partner_source.programs SET name = 'Another' WHERE program_id = 'DIFFERS';
    DELETE FROM partner_source.programs WHERE program_id = 'ABSENT';
    UPDATE partner_source.programs SET lifecycle_state = 'cancelled' WHERE program_id = 'WITHDRAWN';
    UPDATE partner_source.programs SET name = ' ' WHERE program_id = 'FAULTY'`);
  await insert(source, "NEW", "active");
  await insert(source, "DRAFT", "draft");
  await insert(source, "BROKEN", "active");
  await source.update("name = ''", "BROKEN");
}

/**
 * The first of them still has GONE, which the next takes out; a row of GONE stands for whatever was lost like
 * that.
 */
async function builtTwice(onInvalid: "report" | "fail"): Promise<void> {
  await fillForPlants(desk);
  await desk.build({ now: builtAt, args: ["--on-invalid", onInvalid] });
  await desk.source.query("DELETE FROM partner_source.programs WHERE program_id = 'GONE'");
  await desk.build({ now: builtAgainAt, args: ["--on-invalid", onInvalid] });
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

/**
 * Program → the standing that `changeTheSource` gives it. What may stand in the way of each:
 * `worlds.test.ts`.
 */
function expectedRows(fault: "faulty" | "stopping"): Readonly<Record<string, string>> {
  return {
    SAME: "served_same",
    DROPPED: "served_dropped/none",
    DIFFERS: "served_differs/none",
    ABSENT: "served_absent/none",
    WITHDRAWN: "served_withdrawn/none",
    FAULTY: `served_${fault}/none`,
    NEW: "missing_waiting/none",
    DRAFT: "missing_unpublishable/none",
    BROKEN: `missing_${fault}/none`,
    GONE: "missing_gone/none",
  };
}

test.each([
  ["report", "faulty"],
  ["fail", "stopping"],
] as const)("P47 all that can happen to a program, with --on-invalid %s", async (onInvalid, fault) => {
  await builtTwice(onInvalid);
  await changeTheSource(desk);
  const expected = expectedRows(fault);
  const rows: Record<string, string> = {};
  for (const programId of Object.keys(expected)) rows[programId] = (await explained(programId)).row;
  expect(rows).toEqual(expected);
  await rm(join(desk.storeDirectory, "tenants", deskTenant), { recursive: true });
  expect((await explained("SAME")).row).toBe("unpublished/none");
});

describe("a program that no build changes anything about", () => {
  test("P91 of a tenant whose removal was killed before its access keys were revoked", async () => {
    await desk.build({ now: builtAt });
    await desk.run(["token", "create", "--tenant", deskTenant], { now: builtAt });
    await desk.source.query("DELETE FROM partner_source.tenants");
    const removed = askedAt.toISOString();
    await editRemovedTenants(desk.store, new AbortController().signal, (tenants) =>
      withRemoved(tenants, parseTenantId(deskTenant), removed),
    );
    expect(await explained("KYOTO-1")).toMatchObject({ row: "served_unlisted", answer: 200 });
    const { stdout } = await desk.run(["snapshot", "status", "--tenant", deskTenant], { now: askedAt });
    expect(stdout.replace(/\s+/g, " ")).toMatch(
      / removal .* 21 November 2026, 12:00 UTC did not end: 1 access key /,
    );
    expect(stdout).not.toContain("partners get 401");
    await desk.run(["tenant", "remove", deskTenant], { now: askedAt });
    expect(await explained("KYOTO-1")).toMatchObject({ row: "removed", answer: 401 });
  });

  test("P47 in a damaged store, held or not", async () => {
    await desk.build({ now: builtAt });
    await damageLiveManifest(desk);
    expect(await explained("KYOTO-1")).toMatchObject({ row: "damaged", answer: 500 });
    await desk.reset();
    await builtTwice("report");
    await desk.run(["snapshot", "rollback", "--tenant", deskTenant], { now: askedAt });
    await damageLiveManifest(desk);
    const { next } = await explained("SAME");
    expect(next.text).toContain("so no build mends it");
    const { stdout } = await desk.run(["snapshot", "status", "--tenant", deskTenant], { now: askedAt });
    expect(stdout).toMatch(/damaged: partners get 500[\s\S]*hold +held since/);
  });

  test("P47 whose tenant the booking system does not list", async () => {
    await desk.source.query("DELETE FROM partner_source.tenants");
    expect((await explained("KYOTO-1")).row).toBe("unpublished_unlisted");
    await desk.reset();
    await desk.build({ now: builtAt });
    await desk.source.query("DELETE FROM partner_source.tenants");
    expect((await explained("KYOTO-1")).row).toBe("served_unlisted");
    expect((await explained("OSAKA-3")).row).toBe("missing_unlisted");
  });

  test("P47 when the booking system cannot be asked", async () => {
    await desk.build({ now: builtAt });
    const env = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
    expect((await explained("KYOTO-1", askedAt, env)).row).toBe("served_unchecked");
    const { row, summary } = await explained("KYOTO-11", askedAt, env);
    expect([row, summary]).toEqual(["missing_unchecked", expect.stringContaining("Did you mean KYOTO-1")]);
    await rm(join(desk.storeDirectory, "tenants"), { recursive: true });
    expect((await explained("KYOTO-1", askedAt, env)).row).toBe("unpublished_unchecked");
  });

  test("P47 under another spelling, of another tenant, nearly of that id, of none, of no id at all", async () => {
    await desk.source.insert("tenants", { tenant_id: "alpine", name: "Alpine" });
    await desk.source.insert("programs", {
      tenant_id: "alpine",
      program_id: "EIGER",
      name: "Eiger",
      lifecycle_state: "active",
    });
    await desk.build({ now: builtAt });
    const rows: Record<string, string> = {};
    for (const programId of ["kyoto-1", "EIGER", "KYOTO-I", "QUITE-ANOTHER", "KYOTO 1"]) {
      const { row, answer } = await explained(programId);
      rows[programId] = `${row}: ${answer}`;
    }
    expect(rows).toEqual({
      "kyoto-1": "missing_spelled: 404",
      EIGER: "missing_elsewhere: 404",
      "KYOTO-I": "missing_near: 404",
      "QUITE-ANOTHER": "missing_unknown: 404",
      "KYOTO 1": "malformed_id: 400",
    });
  });
});

test("P47 the only program that partners see goes only when the source states it: builds refuse an empty list", async () => {
  await desk.source.query("DELETE FROM partner_source.programs WHERE program_id <> 'KYOTO-1'");
  await desk.build({ now: builtAt });
  await desk.source.update("name = ' '");
  expect((await explained("KYOTO-1")).row).toBe("served_faulty/last");
  await desk.source.query("DELETE FROM partner_source.programs");
  const { row, summary } = await explained("KYOTO-1");
  expect([row, summary]).toEqual(["served_absent/last", expect.stringContaining("refuse to leave")]);
  expect((await desk.build({ now: askedAt })).status).toBe(4);
  expect((await explained("KYOTO-1")).row).toBe("served_absent/guard");
});

test("P47 every standing of the table was planted", () => {
  const standingsOf = (rows: Iterable<string>) => [...new Set([...rows].map((row) => row.split("/")[0]))];
  expect(standingsOf(reached).sort()).toEqual(standingsOf(standingRowIds));
});
