import { Failure } from "../../../core/failure.ts";
import type { Answer } from "./answer.ts";
import type { Inspection } from "./inspection.ts";
import { pageOrTable } from "./page-tables.ts";
import type { Route } from "./route.ts";
import { auditRoute } from "./routes/audit-route.ts";
import { clientRoute } from "./routes/client-route.ts";
import { comparisonRoute } from "./routes/comparison-route.ts";
import { diffRoute } from "./routes/diff-route.ts";
import { explainRoute } from "./routes/explain-route.ts";
import { findRoute } from "./routes/find-route.ts";
import { healthRoute } from "./routes/health-route.ts";
import { programRoute } from "./routes/program-route.ts";
import { requestRoute } from "./routes/request-route.ts";
import { requestsRoute } from "./routes/requests-route.ts";
import { snapshotProgramRoute } from "./routes/snapshot-program-route.ts";
import { snapshotRoute } from "./routes/snapshot-route.ts";
import { snapshotsRoute } from "./routes/snapshots-route.ts";
import { tenantRoute } from "./routes/tenant-route.ts";
import { tenantsRoute } from "./routes/tenants-route.ts";
import { timelineRoute } from "./routes/timeline-route.ts";
import { tokensRoute } from "./routes/tokens-route.ts";

/** No two take the same address. */
const routes: readonly Route[] = [
  tenantsRoute,
  tenantRoute,
  programRoute,
  diffRoute,
  explainRoute,
  requestsRoute,
  requestRoute,
  tokensRoute,
  auditRoute,
  clientRoute,
  findRoute,
  healthRoute,
  timelineRoute,
  comparisonRoute,
  snapshotsRoute,
  snapshotRoute,
  snapshotProgramRoute,
];

/** What stands at the address. Throws `not_found` when there is nothing. */
export async function pageAt(url: URL, inspection: Inspection): Promise<Answer> {
  const segments = url.pathname.split("/").slice(1).map(decoded);
  for (const route of routes) {
    const answer = route(segments, url.searchParams, inspection);
    if (answer === undefined) continue;
    const page = await answer;
    return "main" in page ? pageOrTable(page, url) : page;
  }
  throw new Failure("not_found", "There is no page at this address.");
}

/** Throws `usage` for what cannot be decoded. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw new Failure("usage", "There is no page at this address.", { cause: error });
  }
}
