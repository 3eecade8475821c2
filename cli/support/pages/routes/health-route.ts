import { readHealth } from "../../health/read-health.ts";
import { healthPage } from "../health-page.ts";
import { route } from "../route.ts";

export const healthRoute = route({
  pattern: "/health",
  parse: () => undefined,
  page: async (_, { store, now, signal }) =>
    healthPage(await readHealth(store, undefined, now(), signal), now()),
});
