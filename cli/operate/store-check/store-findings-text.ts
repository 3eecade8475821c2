import { printable } from "../../../core/printable.ts";
import { type Fact, facts } from "../../output/facts.ts";
import type { Layout } from "../../output/layout.ts";
import type { Style } from "../../output/style.ts";
import { isFit, type StoreCheckOutcome, type StoreFinding, storeChecks } from "./checklist.ts";

/** The findings for people: a line per check, then a conclusion. */
export function findingsText(
  address: string,
  findings: readonly StoreFinding[],
  { style, width }: Layout,
): string {
  const rows = findings.map(({ check, outcome, message }): Fact => {
    const { mark, word, paint } = looks[outcome];
    return [`${mark} ${storeChecks[check]}`, style[paint](printable(word + message))];
  });
  return `${style.bold(printable(address))}\n${facts(rows, width)}${conclusion(findings)}\n`;
}

function conclusion(findings: readonly StoreFinding[]): string {
  if (isFit(findings)) return "Fit for what was checked.";
  if (findings.some(({ outcome }) => outcome === "unsupported")) return "Not fit: no snapshot may live here.";
  return "Not ready: mend what failed and check again. `store check --policies` prints what to grant.";
}

/** How an outcome is shown: beside the name of the check, before the message, and in which emphasis. */
const looks: Readonly<Record<StoreCheckOutcome, { mark: string; word: string; paint: keyof Style }>> = {
  ok: { mark: "+", word: "", paint: "good" },
  warning: { mark: "!", word: "warning: ", paint: "doubtful" },
  failed: { mark: "x", word: "FAILED: ", paint: "bad" },
  unsupported: { mark: "x", word: "UNSUPPORTED: ", paint: "bad" },
  skipped: { mark: "-", word: "skipped: ", paint: "faint" },
};
