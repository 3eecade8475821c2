import { readHealth } from "../../health/read-health.ts";
import { unconfirmedAnswer } from "../../health/unconfirmed-answer.ts";
import { healthPage } from "../health-page.ts";
import { route } from "../route.ts";

export const healthRoute = route({
  pattern: "/health",
  parse: () => undefined,
  page: async (_, { store, log, now, signal }) => {
    const report = await readHealth(store, undefined, now(), signal);
    return healthPage(report, log && (await unconfirmedAnswer(log, now(), signal)), now());
  },
});
