import type { TenantId } from "../../../core/ids.ts";

/** What can be wrong with a live snapshot, and what an operator does about it. */
const findingRemedies = {
  pointer_damaged:
    "Bring back an earlier version of the object from a backup or the bucket's version history. Without one: delete it, " +
    "run `snapshot build --tenant {tenant}`, and restart the gateways, which refuse a lower generation.",
  manifest_damaged:
    "Run `snapshot build --tenant {tenant}`: it cannot trust this manifest, so it writes every file anew. " +
    "Or make an earlier snapshot live: `snapshot rollback --tenant {tenant}`.",
  object_damaged:
    "Run `snapshot build --tenant {tenant} --rewrite`: a plain build would take the damaged file over as unchanged. " +
    "Or make an earlier snapshot live: `snapshot rollback --tenant {tenant}`.",
  response_invalid:
    "Run `snapshot build --tenant {tenant} --rewrite`; if the finding stays, it is a defect of this program.",
  responses_disagree:
    "Run `snapshot build --tenant {tenant} --rewrite`; if the finding stays, it is a defect of this program.",
  live_tree_outdated:
    "Partners are not affected. Run `snapshot build --tenant {tenant}`, which makes the folder live/ anew.",
  live_file_damaged:
    "Partners are not affected: it is a copy for people. Run `snapshot build --tenant {tenant} --rewrite`, or delete " +
    "live/README.txt of the tenant and run `snapshot build --tenant {tenant}`.",
  live_file_foreign:
    "Partners are not affected: nobody serves it. Run `snapshot build --tenant {tenant} --rewrite`, or delete " +
    "live/README.txt of the tenant and run `snapshot build --tenant {tenant}`: both delete the file.",
} as const satisfies Readonly<Record<string, string>>;

export type FindingCode = keyof typeof findingRemedies;

export interface Finding {
  readonly code: FindingCode;
  /** The object it is about. */
  readonly key: string;
  /** What is wrong, in words, without a full stop. */
  readonly message: string;
  readonly remedy: string;
}

/** The first `maxKept` findings of one tenant are kept whole; the rest are counted. */
const maxKept = 1000;

/** The findings of one tenant. */
export class FindingLog {
  readonly kept: Finding[] = [];
  readonly #tenantId: TenantId;
  #total = 0;

  constructor(tenantId: TenantId) {
    this.#tenantId = tenantId;
  }

  get total(): number {
    return this.#total;
  }

  add(code: FindingCode, key: string, message: string): void {
    this.#total += 1;
    if (this.kept.length >= maxKept) return;
    const remedy = findingRemedies[code].replaceAll("{tenant}", this.#tenantId);
    this.kept.push({ code, key, message, remedy });
  }
}
