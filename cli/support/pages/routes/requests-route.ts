import { requestQuery } from "../request-query.ts";
import { requestsPage, requestsWithoutLog } from "../requests-page.ts";
import { route } from "../route.ts";

export const requestsRoute = route({
  pattern: "/requests",
  parse: (_, query) => requestQuery(query),
  page: async (query, { log, now, signal }) => {
    if (log === undefined) return requestsWithoutLog();
    await log.refresh();
    const found = await log.index.find({ filter: query.filter, after: query.after, limit: perPage }, signal);
    return requestsPage({ query, found, state: log.state() }, now());
  },
});

const perPage = 50;
