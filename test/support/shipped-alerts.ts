import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { projectRoot } from "./markdown.ts";

export interface ShippedAlert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<"summary" | "description" | "runbook", string>>;
}

const shippedRules = readFileSync(join(projectRoot, "deploy/prometheus/alerts.yaml"), "utf8");
export const shippedAlerts: readonly ShippedAlert[] = parse(shippedRules).groups.flatMap(
  ({ rules }: { rules: readonly ShippedAlert[] }) => rules,
);
