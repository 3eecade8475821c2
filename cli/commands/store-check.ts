import { Failure } from "../../core/ground/failure.ts";
import { printable } from "../../core/ground/printable.ts";
import { checkStore } from "../operate/store-check/check-store.ts";
import { type StoreCheckOutcome, type StoreFinding, storeChecks } from "../operate/store-check/checklist.ts";
import { iamPolicies } from "../operate/store-check/iam-policies.ts";
import { type Labelled, type Layout, labelledLines, layoutOf, type Style } from "../output/layout.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { printJson, printResult, settingsOf, withStore } from "../shell/shell.ts";
import { command, flag, json } from "./command.ts";

/** `store check`: whether snapshots can live in the store, and what it lacks. */
export const storeCheck = command(
  {
    readOnly: {
      ...flag("only what a gateway needs, with the gateway's credentials"),
      excluded: ["policies"],
    },
    policies: flag("print the IAM policies to grant instead, for generator, tokens and gateway"),
    json,
  },
  async (shell, { readOnly, policies, json }) => {
    const settings = settingsOf(shell);
    const { storeUrl } = settings;
    if (policies && storeUrl.kind === "s3") return printJson(shell, iamPolicies(storeUrl));
    if (policies) {
      const what =
        "--policies is for S3: set STORE_URL to s3://BUCKET[/PREFIX]. A folder has its file modes.";
      throw new Failure("usage", what);
    }
    const directory = storeUrl.kind === "file" ? storeUrl.directory : undefined;
    return await withStore(settings, async (store) => {
      const findings = await checkStore(store, { ...shell, directory, isReadOnly: readOnly });
      const { status, conclusion } = verdictOf(findings);
      const text = `${findingsText(store.address, findings, layoutOf(shell))}${conclusion}\n`;
      printResult(shell, json, { store: store.address, fit: status === 0, findings }, text);
      return status;
    });
  },
);

/** The store is fit when every check has passed, perhaps with a warning. */
function verdictOf(findings: readonly StoreFinding[]): { status: ExitStatus; conclusion: string } {
  const outcomes = new Set(findings.map(({ outcome }) => outcome));
  if (outcomes.has("unsupported")) {
    return { status: 4, conclusion: "Not fit: no snapshot may live here." };
  }
  if (!outcomes.has("failed") && !outcomes.has("skipped")) {
    return { status: 0, conclusion: "Fit for what was checked." };
  }
  const advice = "mend what failed and check again. `store check --policies` prints what to grant.";
  return { status: 1, conclusion: `Not ready: ${advice}` };
}

/** The findings for people: a line per check. */
function findingsText(address: string, findings: readonly StoreFinding[], { style, width }: Layout): string {
  const rows = findings.map(({ check, outcome, message }): Labelled => {
    const { mark, word, paint } = looks[outcome];
    return [`${mark} ${storeChecks[check]}`, style[paint](printable(word + message))];
  });
  return `${style.bold(printable(address))}\n${labelledLines(rows, width)}`;
}

/** How an outcome is shown: beside the name of the check, before the message, and in which emphasis. */
const looks: Readonly<Record<StoreCheckOutcome, { mark: string; word: string; paint: keyof Style }>> = {
  ok: { mark: "+", word: "", paint: "good" },
  warning: { mark: "!", word: "warning: ", paint: "doubtful" },
  failed: { mark: "x", word: "FAILED: ", paint: "bad" },
  unsupported: { mark: "x", word: "UNSUPPORTED: ", paint: "bad" },
  skipped: { mark: "-", word: "skipped: ", paint: "faint" },
};
