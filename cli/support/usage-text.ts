import { printable } from "../../core/printable.ts";
import type { UsageRow } from "../operate/gateway-log/usage-tally.ts";
import type { Layout } from "../output/layout.ts";
import { exactTime, relativeTime } from "../output/relative-time.ts";
import { type Column, table } from "../output/table.ts";
import { wrapped } from "../output/wrap.ts";
import type { TokenUsage, TokenUse } from "./token-usage.ts";

/** Who calls what, who doesn't call at all, and who still calls what is to go away. */
export function usageText(
  usage: TokenUsage,
  covers: { readonly from: string; readonly to: string },
  layout: Layout,
): string {
  const { style, width, columns } = layout;
  const names = new Map(usage.tokens.map((token) => [token.tokenId, label(token)]));
  const legacy = usage.legacyCallers.map((tokenId) => names.get(tokenId) ?? tokenId);
  const idle = usage.idle.map(label);
  const notes = [
    legacy.length === 0
      ? "Nobody calls the deprecated resource."
      : style.doubtful(`Still calling the deprecated resource: ${legacy.map(printable).join(", ")}.`),
    idle.length === 0 ? "No active token is idle." : `Idle in this time, though active: ${idle.join(", ")}.`,
  ];
  return [
    `${exactTime(covers.from)} to ${exactTime(covers.to)}\n\n`,
    table(
      tokenColumns,
      usage.tokens.map((token) => tokenCells(token, layout)),
      columns,
    ),
    "\n",
    ...notes.flatMap((note) => wrapped(note, width)).map((line) => `${line}\n`),
  ].join("");
}

/** Every count by token, resource, status and day. */
export function usageRowsText(rows: readonly UsageRow[], { columns }: Layout): string {
  return table(
    [
      { title: "TOKEN" },
      { title: "RESOURCE" },
      { title: "STATUS" },
      { title: "DAY" },
      { title: "REQUESTS", align: "right" },
      { title: "LAST SEEN" },
    ],
    rows.map(({ tokenId, resource, status, day, requests, lastSeen }) => [
      printable(tokenId ?? "(none)"),
      printable(resource),
      String(status),
      day,
      requests.toLocaleString("en"),
      exactTime(lastSeen),
    ]),
    columns,
  );
}

const tokenColumns: readonly Column[] = [
  { title: "TOKEN" },
  { title: "NAME" },
  { title: "TENANT" },
  ...["REQUESTS", "LIST", "DETAIL", "LEGACY", "2XX", "4XX", "5XX"].map(
    (title): Column => ({ title, align: "right" }),
  ),
  { title: "LAST SEEN" },
];

function tokenCells(token: TokenUse, { now }: Layout): string[] {
  const { byResource, byClass } = token;
  const counts = [token.requests, byResource.list, byResource.detail, byResource.legacy];
  const classes = [byClass["2xx"], byClass["4xx"], byClass["5xx"]];
  return [
    printable(token.tokenId ?? "(none)"),
    printable(token.name ?? "-"),
    printable(token.tenantId ?? "-"),
    ...[...counts, ...classes].map((count) => (count ?? 0).toLocaleString("en")),
    relativeTime(new Date(token.lastSeen), now),
  ];
}

function label({ tokenId, name }: { readonly tokenId: string | null; readonly name: string | null }): string {
  return printable(name === null ? String(tokenId) : `${tokenId} (${name})`);
}
