import { createCertifier } from "../../../partners/certify/certificate.ts";
import { clientPage, clientWithoutRequests } from "../client-page.ts";
import type { Inspection } from "../inspection.ts";
import type { Page } from "../page.ts";
import { requestsWithoutLog } from "../requests-page.ts";
import { route } from "../route.ts";

export const clientRoute = route({
  pattern: "/tokens/:token/client",
  parse: ({ token }, query) => ({ tokenId: token, isDirect: query.get("direct") === "1" }),
  page,
});

/** `certify` reads a log whole; a page looks at the newest. */
const maxRequests = 20_000;

interface Question {
  readonly tokenId: string;
  /** Whether the log's connections are the client's own; in most installations they are a proxy's. */
  readonly isDirect: boolean;
}

async function page({ tokenId, isDirect }: Question, { log, now, signal }: Inspection): Promise<Page> {
  if (log === undefined) return requestsWithoutLog();
  await log.refresh();
  const found = await log.index.find({ filter: { tokenId }, limit: maxRequests }, signal);
  const certifier = createCertifier(tokenId, isDirect ? "own" : "proxy");
  for (const line of found.lines.toReversed()) certifier.see(line);
  const certificate = certifier.certificate();
  if (certificate === undefined) return clientWithoutRequests(tokenId);
  return clientPage({ certificate, isDirect, total: found.total }, now());
}
