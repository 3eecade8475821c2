import { tenantStatus } from "../../tenant-status.ts";
import { route } from "../route.ts";
import { tenantsPage } from "../tenants-page.ts";

export const tenantsRoute = route({
  pattern: "/",
  parse: () => undefined,
  page: async (_, { store, now, signal }) =>
    tenantsPage(await tenantStatus(store, undefined, now(), signal), now()),
});
