import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contractViews } from "../../cli/publish/source/contract.ts";
import { hostileText, pastedToken } from "./hostile-text.ts";
import { deskTenant, openSupportDesk, type SupportDesk } from "./support-desk.ts";

/** A desk in whose database, store and log everything that may be any text is hostile. */
export interface HostileDesk extends SupportDesk {
  /** The gateway's log. */
  readonly log: string;
  readonly tokenIds: readonly [string, string];
}

/** The program whose every text is hostile; it is published. */
export const hostileProgram = "HOSTILE-1";

export async function openHostileDesk(): Promise<HostileDesk> {
  const desk = await openSupportDesk();
  await fillSource(desk);
  await desk.build({ args: ["--on-invalid", "skip"], now: new Date("2026-11-21T08:00:00.000Z") });
  await desk.source.query(
    "UPDATE partner_source.programs SET name = name || '2', description = 'x' || description WHERE program_id = $1",
    [hostileProgram],
  );
  await desk.build({ args: ["--on-invalid", "skip"], now: new Date("2026-11-21T09:00:00.000Z") });
  // Pending changes, for whoever asks what a build would change.
  await desk.source.query(
    "UPDATE partner_source.programs SET departure_point = 'y' || departure_point WHERE program_id = $1",
    [hostileProgram],
  );
  const tokenIds = [await issue(desk), await issue(desk)] as const;
  await spoilStore(desk);
  return { ...desk, tokenIds, log: hostileLog(tokenIds[0]) };
}

/** A view whose cast fails on hostile text: the database's own error quotes it. */
export async function spoilCast(desk: SupportDesk): Promise<void> {
  await desk.source.query("ALTER TABLE partner_source.room_prices RENAME TO real_room_prices");
  await desk.source.query(`
    CREATE VIEW partner_source.room_prices AS
      SELECT tenant_id, program_id, (occupancy || ${sqlText(`7${hostileText}`)})::int AS occupancy, amount
        FROM partner_source.real_room_prices`);
}

/** In every view a row of the program, and some beside it. */
async function fillSource({ source }: SupportDesk): Promise<void> {
  const any = hostileText;
  const key = { tenant_id: deskTenant, program_id: hostileProgram };
  const program = { name: any, lifecycle_state: "active" };
  const own: Readonly<Record<string, object>> = {
    programs: {
      lifecycle_state: "active",
      capacity_total: -1,
      cover_url: `https://x.example/${any}`,
      gallery_urls: [`http://${any}`],
    },
    hotel_stays: { star_level: 9 },
    staff: { role: "lead_guide" },
  };
  for (const { name, columns } of contractViews) {
    const row: Record<string, unknown> = {};
    for (const [column, kind] of Object.entries(columns)) {
      if (kind === "text") row[column] = any;
      if (kind === "text[]") row[column] = [any];
    }
    await source.insert(name, { ...row, ...(name === "tenants" ? {} : key), ...own[name] });
  }
  await source.insert(
    "programs",
    { ...key, ...program, program_id: any },
    { ...key, program_id: "BAD-STATE", name: any, lifecycle_state: any },
    { ...key, ...program, tenant_id: any },
  );
  await source.insert(
    "staff",
    { ...key, position: 2, role: "teacher", name: any, gender: any, role_label: any },
    { ...key, position: 3, role: any, name: any },
  );
}

async function issue(desk: SupportDesk): Promise<string> {
  const issued = await desk.json(["token", "create", "--tenant", deskTenant]);
  return (issued as { readonly tokenId: string }).tokenId;
}

/**
 * What somebody can do who may write to the store: every text that its schemas allow, and documents that they
 * don't.
 */
async function spoilStore({ storeDirectory }: SupportDesk): Promise<void> {
  const edit = async (path: string, change: (document: string) => string): Promise<void> => {
    const file = join(storeDirectory, path);
    await writeFile(file, change(await readFile(file, "utf8")));
  };
  const quoted = JSON.stringify(hostileText);
  await edit(`tenants/${deskTenant}/current.json`, (text) =>
    text.replace('"hold":null', `"hold":{"reason":${quoted},"since":"2026-11-21T10:00:00.000Z"}`),
  );
  await edit("auth/tokens.json", (text) => text.replaceAll('"name":null', `"name":${quoted}`));
  const reports = (await readdir(join(storeDirectory, "runs"))).filter((name) => /^\d/.test(name));
  const [newest] = reports.sort().reverse();
  await edit(`runs/${newest}`, (text) => {
    const report = JSON.parse(text);
    for (const run of report.tenants) {
      if (run.tenantId !== deskTenant) continue;
      run.outcome = "failed";
      run.failure = { code: "internal", message: hostileText };
      run.problems = run.problems.map((problem: object) => ({
        ...problem,
        field: hostileText,
        value: hostileText.slice(0, 200),
        message: hostileText,
      }));
    }
    return JSON.stringify(report);
  });
  await writeFile(join(storeDirectory, "runs/20261121T110000Z-00000000.json"), `{${quoted}:1}`);
  const records = (await readdir(join(storeDirectory, "audit"))).filter((name) => !name.includes("begun"));
  for (const name of records) {
    await edit(`audit/${name}`, (text) => {
      const record = JSON.parse(text);
      const actor = { user: hostileText.slice(0, 200), host: hostileText.slice(0, 200) };
      const failure = { code: "internal", message: hostileText };
      return JSON.stringify({
        ...record,
        actor,
        failure,
        reason: hostileText.slice(0, 500),
        outcome: "failed",
      });
    });
  }
}

/** Lines as the gateway writes them, and as somebody may have changed them on the way. */
function hostileLog(tokenId: string): string {
  const any = hostileText;
  const line = {
    level: "info",
    time: "2026-11-21T10:00:00.000Z",
    msg: "request",
    requestId: "request-1",
    status: 500,
    route: "detail",
    tokenId,
    tenantId: deskTenant,
    programId: hostileProgram,
  };
  const hostile = { route: any, method: any, tokenId: any, tenantId: any, snapshotId: any, objectKey: any };
  const causes = { programId: any, causeCode: any, cause: any };
  return [
    line,
    { ...line, snapshotId: any, objectKey: any, cause: any, method: any },
    { ...line, status: 404, programId: any },
    { ...line, ...hostile, ...causes },
    { ...line, ...hostile, ...causes, status: 401, requestId: any },
    { ...line, ...causes, status: 404, causeCode: "unknown_program" },
    { ...line, status: 404, programId: pastedToken, objectKey: pastedToken, cause: `no ${pastedToken}` },
    { ...line, ...causes, status: 401, causeCode: "token_revoked" },
  ]
    .map((record) => `${JSON.stringify(record)}\n`)
    .join("");
}

/** A literal of SQL, whatever is in it. */
const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
