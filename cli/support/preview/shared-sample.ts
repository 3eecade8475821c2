import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { limitWaiting } from "../../database/limit-waiting.ts";
import type { FindingGroups } from "../../operate/source-check/finding-groups.ts";
import type { ContentRules } from "../../publish/content/content-rules.ts";
import { type ComparedPrograms, minShared } from "../../publish/guards/shared-guard.ts";
import { programsGivenEqually } from "../../publish/guards/shared-programs.ts";
import { tenantsOfPrograms } from "../../publish/source/find-programs.ts";
import { tryReading } from "../../publish/source/try-reading.ts";

/** Somebody waits for the preview. */
const maxAskingMs = 10_000;
const maxTenants = 20;
const place = { view: "programs", column: "tenant_id" };

/**
 * P149: warns of programs of the sample that another tenant gets with the same id and content. `sample`: those that would be
 * published. Other tenants' rows that cannot be read leave the preview as it is, and the warning says so.
 */
export async function addSharedSample(
  client: SourceClient,
  tenantId: TenantId,
  rules: ContentRules,
  sample: ComparedPrograms,
  groups: FindingGroups,
): Promise<void> {
  if (sample.size < minShared) return;
  const add = (code: "programs_shared" | "shared_unknown", value: string, count?: number): void =>
    groups.add(code, place, { tenantId, programId: null, value }, count);
  const asked = await tryReading(client, async () => {
    await limitWaiting(client, { statementMs: maxAskingMs });
    return await tenantsOfPrograms(client, tenantId, sample);
  });
  if ("error" in asked) return add("shared_unknown", asked.error.message);
  // The sample's own cursors are still open, under the names that each reading uses.
  await client.query("CLOSE ALL");
  for (const { tenantId: other } of asked.result.slice(0, maxTenants)) {
    const reading = await tryReading(client, () => programsGivenEqually(client, other, rules, sample));
    if ("error" in reading) add("shared_unknown", `${other}: ${reading.error.message}`);
    else if (reading.result.length >= minShared) {
      const count = reading.result.length;
      add("programs_shared", `${count} of ${sample.size} program(s) looked at as ${other} has them`, count);
    }
  }
}
