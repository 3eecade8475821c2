import { printable } from "../../../core/printable.ts";
import { counted, numberText } from "../../output/counted.ts";
import { numbers, table } from "../../output/table.ts";
import type { Finding, TenantVerification } from "./verification.ts";

/** One line per tenant, then every finding with its object, and what to do about each kind once. */
export function verificationText(results: readonly TenantVerification[], nothing = ""): string {
  if (results.length === 0) {
    return `Nothing was published yet: there is nothing to verify. ${printable(nothing)}`
      .trimEnd()
      .concat("\n");
  }
  const lines = table(
    ["TENANT", "RESULT", "SNAPSHOT", numbers("PROGRAMS"), numbers("OBJECTS"), numbers("BYTES")],
    results.map((result) => [
      result.tenantId,
      resultText(result),
      result.snapshotId ?? "-",
      result.programs === null ? "-" : numberText(result.programs),
      numberText(result.objects),
      numberText(result.bytes),
    ]),
  );
  return [lines, ...results.map(findingsOf)].filter((text) => text !== "").join("\n");
}

function resultText({ outcome, findings, findingsOmitted }: TenantVerification): string {
  const count = findings.length + findingsOmitted;
  return outcome === "findings" ? counted(count, "finding") : outcome;
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
  return `${tenantId}: ${meaning(findings)}\n${texts.join("")}${rest}`;
}

/** P51: what it means for partners, before the technical detail. */
function meaning(findings: readonly Finding[]): string {
  const harming = findings.filter(({ code }) => !code.startsWith("live_"));
  if (harming.length === 0) return "Partners are not affected: only the copies for people are. In detail:";
  const isServed = harming.every(({ code }) => code.startsWith("response"));
  return isServed
    ? "What is published is not as it should be. Escalate to operations; technical detail:"
    : "A published file is damaged, and partners get 500 for it. Escalate to operations; technical detail:";
}
