import { printable } from "../../../core/printable.ts";
import { numberText } from "../../output/counted.ts";
import { type Fact, facts } from "../../output/facts.ts";
import type { Layout } from "../../output/layout.ts";
import { exactTime } from "../../output/times.ts";
import type { Certificate } from "./certificate.ts";
import type { Finding, Verdict } from "./rule.ts";

/** The certificate for people: the finding of each rule, and the advice to the partner. */
export function certificateText(certificate: Certificate, layout: Layout): string {
  const { tokenId, tenantId, requests, from, to, rules } = certificate;
  const failed = rules.filter(({ verdict }) => verdict === "fail").length;
  const unseen = rules.filter(({ verdict }) => verdict === "not-seen").length;
  const subject = `Token ${printable(tokenId)} of tenant ${printable(tenantId ?? "-")}`;
  const conclusion =
    failed === 0
      ? layout.style.good("The client keeps every rule that could be judged")
      : layout.style.bad(`The client breaks ${failed} of ${rules.length} rules`);
  return [
    `${subject}: ${numberText(requests)} requests, ${exactTime(from, layout.zone)} to ${exactTime(to, layout.zone)}\n\n`,
    facts(
      rules.map((finding) => factOf(finding, layout)),
      layout.width,
    ),
    `\n${conclusion}; ${unseen} could not be judged.\n`,
  ].join("");
}

function factOf({ rule, verdict, summary, advice, examples }: Finding, { style }: Layout): Fact {
  const shown: Readonly<Record<Verdict, string>> = {
    pass: style.good("pass"),
    fail: style.bad("FAIL"),
    "not-seen": style.faint("not seen"),
  };
  return [
    `${rule}`,
    `${shown[verdict]}: ${summary}`,
    ...(advice === null ? [] : [`To do: ${advice}`]),
    ...(examples.length === 0 ? [] : [`For example: ${examples.map(printable).join(", ")}`]),
  ];
}
