import { asFailure } from "../../../core/failure.ts";
import type { SnapshotId, TenantId } from "../../../core/ids.ts";

/** What `snapshot verify` found of one tenant. */
export interface TenantVerification {
  readonly tenantId: TenantId;
  /** `unpublished`: nothing was ever published, so partners get nothing and nothing can be wrong. */
  readonly outcome: "clean" | "findings" | "unpublished";
  readonly snapshotId: SnapshotId | null;
  readonly generation: number | null;
  readonly programs: number | null;
  /** Objects that the snapshot consists of, its manifest and the pointer counted; all were read. */
  readonly objects: number;
  readonly bytes: number;
  readonly findings: readonly Finding[];
  /** Findings beyond those in `findings`. */
  readonly findingsOmitted: number;
}

/** What can be wrong with a live snapshot, and what an operator does about it. */
const findingRemedies = {
  pointer_missing: "Run `snapshot build --tenant {tenant}`: it begins anew, above all that was published.",
  pointer_damaged:
    "Remove it, then `snapshot build --tenant {tenant}`: it begins anew, above all that was published. " +
    "A hold of the tenant ends by this.",
  manifest_damaged:
    "Run `snapshot build --tenant {tenant}`: it cannot trust this manifest, so it writes every file anew. " +
    "Or make an earlier snapshot live: `snapshot rollback --tenant {tenant}`.",
  object_damaged:
    "Run `snapshot build --tenant {tenant} --rewrite`: a plain build would take the damaged file over as unchanged. " +
    "Or make an earlier snapshot live: `snapshot rollback --tenant {tenant}`.",
  response_invalid:
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

/** Collects the findings of one tenant. */
export class FindingLog {
  readonly #findings: Finding[] = [];
  readonly #tenantId: TenantId;
  #total = 0;

  constructor(tenantId: TenantId) {
    this.#tenantId = tenantId;
  }

  add(code: FindingCode, key: string, message: string): void {
    this.#total += 1;
    if (this.#findings.length >= maxKept) return;
    const remedy = findingRemedies[code].replaceAll("{tenant}", this.#tenantId);
    this.#findings.push({ code, key, message, remedy });
  }

  /** What `reading` gives; `"damaged"`, after noting it as a finding, when the object or what is in its place cannot be read. */
  async readable<Result>(
    code: FindingCode,
    key: string,
    reading: Promise<Result>,
  ): Promise<Result | "damaged"> {
    try {
      return await reading;
    } catch (error) {
      const failure = asFailure(error);
      if (failure.code !== "corrupt_document") throw error;
      this.add(code, key, failure.message.replace(/\.$/, ""));
      return "damaged";
    }
  }

  summary(): Pick<TenantVerification, "outcome" | "findings" | "findingsOmitted"> {
    const findings = this.#findings;
    const outcome = this.#total === 0 ? "clean" : "findings";
    return { outcome, findings, findingsOmitted: this.#total - findings.length };
  }
}
