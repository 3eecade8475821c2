import { Command, InvalidArgumentError } from "commander";
import { parseTenantId, type TenantId } from "../../core/ids.ts";
import { parseInstant } from "../../core/setting-types.ts";
import { auditText } from "../operate/audit/audit-text.ts";
import { readAudit } from "../operate/audit/read-audit.ts";
import { assertKnownTenant } from "../operate/tenants/known-tenant.ts";
import { layoutOf } from "../output/layout.ts";
import { printText } from "../output/print-text.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { parsedOption } from "./parsed-option.ts";

interface ListFlags {
  readonly tenant?: TenantId;
  readonly since?: Date;
  readonly limit: number;
  readonly json: boolean;
}

/** `audit list`: who changed what for partners, newest first. */
export function auditList(shell: Shell): Command {
  return new Command()
    .option("--tenant <id>", "only what concerns this tenant", parsedOption(parseTenantId))
    .option(
      "--since <when>",
      "nothing older: a date and time of RFC 3339, or 90d, 12h, 2w ago",
      instantBefore(shell.now),
    )
    .option("--limit <n>", "the newest so many", count, 100)
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, (flags: ListFlags) => run(shell, flags)));
}

async function run(shell: Shell, { tenant, since, limit, json }: ListFlags): Promise<ExitStatus> {
  const { records, hasOlder, faults } = await withStore(settingsOf(shell), async (store) => {
    const read = await readAudit(store, { tenantId: tenant, since, limit }, shell.signal);
    if (tenant !== undefined && read.records.length === 0) {
      await assertKnownTenant(store, tenant, shell.signal);
    }
    return read;
  });
  if (json) printJson(shell, { records, hasOlder, faults });
  else if (records.length === 0)
    shell.stderr.write("No record. Commands that change something for partners leave one.\n");
  else printText(shell, auditText(records, layoutOf(shell)));
  if (!json && hasOlder) shell.stderr.write(`Older records are not shown; --limit ${limit} may be raised.\n`);
  for (const fault of json ? [] : faults) shell.stderr.write(`damaged: ${fault}\n`);
  return 0;
}

/** An instant as such, or so long before `now`. */
function instantBefore(now: () => Date): (text: string) => Date {
  return (text) => {
    const [, length, unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
    const earlier = new Date(now().getTime() - Number(length) * (hours[unit] ?? Number.NaN) * 3_600_000);
    const instant = parseInstant(text) ?? earlier;
    // Keys hold years of four digits.
    if (instant.getTime() >= Date.UTC(1000, 0)) return instant;
    throw new InvalidArgumentError(
      "Expected a date and time of RFC 3339, like 2027-01-31T00:00:00Z, or how long ago: 90d, 12h, 2w.",
    );
  };
}

const hours: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 };

function count(value: string): number {
  const number = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= maxLimit) return number;
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${maxLimit}.`);
}

/** A record is a few hundred bytes, most often. */
const maxLimit = 10_000;
