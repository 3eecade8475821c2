import { printable } from "../../core/printable.ts";
import type { Finding } from "../snapshot/finding.ts";
import type { TenantVerification } from "../snapshot/verify-tenant.ts";
import { table } from "./table.ts";

/** One line per tenant, then every finding with its object, and what to do about each kind once. */
export function verificationText(results: readonly TenantVerification[]): string {
  if (results.length === 0) return "Nothing was published yet: there is nothing to verify.\n";
  const right = "right" as const;
  const lines = table(
    [
      { title: "TENANT" },
      { title: "RESULT" },
      { title: "SNAPSHOT" },
      { title: "PROGRAMS", align: right },
      { title: "OBJECTS", align: right },
      { title: "BYTES", align: right },
    ],
    results.map((result) => [
      result.tenantId,
      resultText(result),
      result.snapshotId ?? "-",
      result.programs?.toLocaleString("en") ?? "-",
      result.objects.toLocaleString("en"),
      result.bytes.toLocaleString("en"),
    ]),
  );
  return [lines, ...results.map(findingsOf)].filter((text) => text !== "").join("\n");
}

function resultText({ outcome, findings, findingsOmitted }: TenantVerification): string {
  const count = findings.length + findingsOmitted;
  return outcome === "findings" ? `${count} finding${count === 1 ? "" : "s"}` : outcome;
}

function findingsOf({ tenantId, findings, findingsOmitted }: TenantVerification): string {
  if (findings.length === 0) return "";
  const remedies = [...new Map(findings.map(({ code, remedy }) => [code, remedy]))];
  const texts = remedies.flatMap(([code, remedy]) => [
    ...findings.filter((finding) => finding.code === code).map(findingLine),
    `  What to do about ${code}: ${remedy}\n`,
  ]);
  const rest = findingsOmitted > 0 ? `  ... and ${findingsOmitted} more\n` : "";
  return `${tenantId}:\n${texts.join("")}${rest}`;
}

function findingLine({ code, key, message }: Finding): string {
  return `  ${code} ${printable(`${key}: ${message}`)}\n`;
}
