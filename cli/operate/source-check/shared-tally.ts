import type { TenantId } from "../../../core/ids.ts";
import { minShared } from "../../publish/guards/shared-guard.ts";
import type { FindingGroups } from "./finding-groups.ts";

/** Programs that are remembered; later ones are still held against those. */
const maxRemembered = 1_000_000;

/** P149: counts the programs that two tenants have with the same id and content. */
export class SharedTally {
  /** By the first 48 bits of the digest of its detail, which contains the id: whose program it is. */
  readonly #owners = new Map<number, TenantId>();
  readonly #pairs = new Map<string, { readonly owner: TenantId; readonly other: TenantId; count: number }>();

  add(tenantId: TenantId, detailSha256: string): void {
    const key = Number.parseInt(detailSha256.slice(0, 12), 16);
    const owner = this.#owners.get(key);
    if (owner === undefined) {
      if (this.#owners.size < maxRemembered) this.#owners.set(key, tenantId);
    } else if (owner !== tenantId) {
      const pair = JSON.stringify([owner, tenantId]);
      const known = this.#pairs.get(pair) ?? { owner, other: tenantId, count: 0 };
      known.count += 1;
      this.#pairs.set(pair, known);
    }
  }

  report(groups: FindingGroups): void {
    for (const { owner, other, count } of this.#pairs.values()) {
      if (count < minShared) continue;
      const example = { tenantId: other, programId: null, value: `${count} program(s) as ${owner} has them` };
      groups.add("programs_shared", { view: "programs", column: "tenant_id" }, example, count);
    }
  }
}
