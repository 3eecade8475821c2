import type { SnapshotId, TenantId } from "../../../core/ids.ts";
import { printable } from "../../../core/printable.ts";
import { counted, numberText } from "../../output/counted.ts";
import { numbers, table } from "../../output/table.ts";

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

interface Finding {
  readonly code: FindingCode;
  /** The object it is about. */
  readonly key: string;
  /** What is wrong, in words, without a full stop. */
  readonly message: string;
  readonly remedy: string;
}

const beginAnew = "`snapshot build --tenant {tenant}`: it begins anew, above all that was published.";
const orRollBack = "Or make an earlier snapshot live: `snapshot rollback --tenant {tenant}`.";

/** What can be wrong with a live snapshot, and what an operator does about it. */
const findingRemedies = {
  pointer_missing: `Run ${beginAnew}`,
  pointer_damaged: `Remove it, then ${beginAnew} A hold of the tenant ends by this.`,
  manifest_damaged:
    "Run `snapshot build --tenant {tenant}`: it cannot trust this manifest, so it writes every file anew. " +
    orRollBack,
  object_damaged:
    "Run `snapshot build --tenant {tenant} --rewrite`: a plain build would take the damaged file over as unchanged. " +
    orRollBack,
  response_invalid:
    "Run `snapshot build --tenant {tenant} --rewrite`; if the finding stays, it is a defect of this program.",
} as const satisfies Readonly<Record<string, string>>;

/** No run builds the sandbox. */
const sandboxRemedy =
  "Run `sandbox init`; if the finding stays, `sandbox init --remove` and then `sandbox init`, which issues new tokens.";

export type FindingCode = keyof typeof findingRemedies;

export function findingRemedy(code: FindingCode, tenantId: TenantId, isSandbox: boolean): string {
  return isSandbox ? sandboxRemedy : findingRemedies[code].replaceAll("{tenant}", tenantId);
}

/** One line per tenant, then every finding with its object, and what to do about each kind once. */
export function verificationText(results: readonly TenantVerification[]): string {
  const lines = table(
    ["TENANT", "RESULT", "SNAPSHOT", numbers("PROGRAMS"), numbers("OBJECTS"), numbers("BYTES")],
    results.map(({ tenantId, outcome, snapshotId, programs, objects, bytes, ...rest }) => [
      tenantId,
      outcome === "findings" ? counted(rest.findings.length + rest.findingsOmitted, "finding") : outcome,
      snapshotId ?? "-",
      programs === null ? "-" : numberText(programs),
      numberText(objects),
      numberText(bytes),
    ]),
  );
  return [lines, ...results.map(findingsOf)].filter((text) => text !== "").join("\n");
}

function findingsOf({ tenantId, findings, findingsOmitted }: TenantVerification): string {
  if (findings.length === 0) return "";
  const remedies = [...new Map(findings.map(({ code, remedy }) => [code, remedy]))];
  const texts = remedies.flatMap(([code, remedy]) => [
    ...findings
      .filter((finding) => finding.code === code)
      .map(({ key, message }) => `  ${code} ${printable(`${key}: ${message}`)}\n`),
    `  For operations, about ${code}: ${remedy}\n`,
  ]);
  const rest = findingsOmitted > 0 ? `  ... and ${findingsOmitted} more\n` : "";
  // What it means for partners, before the technical detail.
  const meaning = findings.every(({ code }) => code === "response_invalid")
    ? "What is published is not as it should be."
    : "A published file is damaged, and partners get 500 for it.";
  return `${tenantId}: ${meaning} Escalate to operations; technical detail:\n${texts.join("")}${rest}`;
}
