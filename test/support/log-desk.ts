import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostileText } from "./hostile-text.ts";
import { startInspect } from "./inspect-fixture.ts";
import { logLine } from "./log-lines.ts";
import { deskTenant, openSupportDesk, type SupportDesk } from "./support-desk.ts";

/**
 * A support desk with a second tenant, two access keys and the gateway's log, and the pages over all of it.
 */
export type LogDesk = Awaited<ReturnType<typeof openLogDesk>>;

const noon = new Date("2026-11-21T12:00:00.000Z");
const html = `<img src=x onerror=alert(1)>`;

export async function openLogDesk() {
  const desk = await openSupportDesk();
  await desk.source.insert("tenants", { tenant_id: "alpine", name: "Alpine" });
  await desk.source.insert(
    "programs",
    { tenant_id: "alpine", program_id: "EIGER-1", name: "Eiger north face", lifecycle_state: "active" },
    { tenant_id: "alpine", program_id: "NARA-2", name: "Another Nara", lifecycle_state: "active" },
  );
  await desk.build({ now: new Date("2026-11-21T08:00:00.000Z") });
  const tokenId = await issued(desk, "Website");
  await issued(desk, html, "--expires", "2026-11-25T00:00:00Z");
  const folder = await mkdtemp(join(tmpdir(), "inspect-desk-"));
  const logFile = join(folder, "gateway.log");
  await writeFile(logFile, lines(tokenId));
  const inspect = await startInspect(desk, { now: noon, logFile });
  return {
    desk,
    inspect,
    /** The key that the requests of the log bore; its name is Website. */
    tokenId,
    async close() {
      await inspect.close();
      await rm(folder, { recursive: true, force: true });
      await desk.close();
    },
  };
}

async function issued(desk: SupportDesk, name: string, ...more: readonly string[]): Promise<string> {
  const made = await desk.json(["token", "create", "--tenant", deskTenant, "--name", name, ...more], {
    now: noon,
  });
  return (made as { readonly tokenId: string }).tokenId;
}

/** A hundred lists, and of everything else one. */
function lines(tokenId: string): string {
  const own = { tokenId, tenantId: deskTenant, limit: 600 };
  const at = (minute: number): string =>
    new Date(Date.parse("2026-11-21T08:30:00Z") + minute * 60_000).toISOString();
  return [
    ...Array.from({ length: 100 }, (_, n) => logLine({ ...own, requestId: `list-${n}`, time: at(n) })),
    logLine({
      ...own,
      requestId: "missed-1",
      route: "detail",
      programId: "OSAKA-3",
      status: 404,
      causeCode: "unknown_program",
      time: at(101),
    }),
    logLine({ ...own, requestId: "old-1", route: "legacy", time: at(102) }),
    logLine({ requestId: "cut-key", status: 401, causeCode: "malformed_token", cause: html, time: at(103) }),
    logLine({
      requestId: "hostile-1",
      status: 401,
      tenantId: hostileText,
      route: hostileText,
      tokenId: html,
      time: at(104),
    }),
    logLine({ requestId: "twice", time: at(105) }),
    logLine({ requestId: "twice", status: 500, cause: "The store is away.", time: at(106) }),
  ].join("");
}
