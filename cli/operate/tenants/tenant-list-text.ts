import { printable } from "../../../core/printable.ts";
import type { Layout } from "../../output/layout.ts";
import { exactTime } from "../../output/relative-time.ts";
import { table } from "../../output/table.ts";
import type { TenantLine, TenantList } from "./list-tenants.ts";

/** A line per tenant. A question mark stands for what a side that could not be asked would know. */
export function tenantListText({ tenants, away }: TenantList, layout: Layout): string {
  const right = "right" as const;
  return table(
    [
      { title: "TENANT" },
      { title: "NAME" },
      { title: "IN SOURCE" },
      { title: "LIVE SNAPSHOT" },
      { title: "PUBLISHED" },
      { title: "PROGRAMS", align: right },
      { title: "ACTIVE TOKENS", align: right },
      { title: "REMARK" },
    ],
    tenants.map((tenant) => {
      const { live, activeTokens, isInSource } = tenant;
      const ofStore = (text: string | undefined): string => (away.store === null ? (text ?? "-") : "?");
      return [
        printable(tenant.tenantId),
        away.source === null ? printable(tenant.name ?? "-") : "?",
        isInSource === null ? "?" : isInSource ? "yes" : "no",
        ofStore(live?.snapshotId),
        ofStore(live === null ? undefined : exactTime(live.publishedAt)),
        ofStore(live?.programs?.toLocaleString("en")),
        activeTokens === null ? "?" : activeTokens.toLocaleString("en"),
        remark(tenant, layout),
      ];
    }),
    layout.columns,
  );
}

function remark({ removedAt, isSandbox, fault, isInSource }: TenantLine, { style }: Layout): string {
  if (fault !== null) return style.bad("damaged");
  if (removedAt !== null) {
    const back = isInSource === true ? ", in the source again" : "";
    return `removed ${exactTime(removedAt)}${back}`;
  }
  return isSandbox ? "sandbox" : "-";
}
