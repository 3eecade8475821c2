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
    const text = outcome === "ok" ? message : `${words[outcome]}: ${message}`;
    return [`${marks[outcome]} ${storeChecks[check]}`, painted(style, outcome)(printable(text))];
  });
  return `${style.bold(printable(address))}\n${facts(rows, width)}${conclusion(findings)}\n`;
}

function conclusion(findings: readonly StoreFinding[]): string {
  if (isFit(findings)) return "Fit for what was checked.";
  if (findings.some(({ outcome }) => outcome === "unsupported")) return "Not fit: no snapshot may live here.";
  return "Not ready: mend what failed and check again. `store check --policies` prints what to grant.";
}

const words: Readonly<Record<Exclude<StoreCheckOutcome, "ok">, string>> = {
  warning: "warning",
  failed: "FAILED",
  unsupported: "UNSUPPORTED",
  skipped: "skipped",
};

const marks: Readonly<Record<StoreCheckOutcome, string>> = {
  ok: "+",
  warning: "!",
  failed: "x",
  unsupported: "x",
  skipped: "-",
};

function painted(style: Style, outcome: StoreCheckOutcome): (text: string) => string {
  switch (outcome) {
    case "ok":
      return style.good;
    case "warning":
      return style.doubtful;
    case "failed":
    case "unsupported":
      return style.bad;
    case "skipped":
      return style.faint;
  }
}
