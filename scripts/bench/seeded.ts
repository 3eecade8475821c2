import { measuredCli } from "./measured-run.ts";
import { queried } from "./queried.ts";

/** A seeded company. Its code is also its tenant's id. */
export interface SeededTenant {
  readonly tenantId: string;
  /** The number of its programs, some of which are not published. */
  readonly programs: number;
}

/**
 * Makes the booking schema with as many companies as there are sizes, each with so many programs. `env` names
 * the database.
 */
export async function seedTenants(
  env: NodeJS.ProcessEnv,
  databaseUrl: string,
  sizes: readonly number[],
): Promise<readonly SeededTenant[]> {
  await measuredCli(["source", "init"], env);
  const largest = `${Math.max(...sizes)}`;
  await measuredCli(["source", "seed", "--tenants", `${sizes.length}`, "--programs", largest], env);
  const companies = await queried(databaseUrl, "SELECT code FROM booking.companies ORDER BY code");
  const tenants = companies.map(({ code }, at) => ({ tenantId: String(code), programs: sizes[at] ?? 0 }));
  for (const { tenantId, programs } of tenants) {
    await queried(
      databaseUrl,
      `DELETE FROM booking.programs WHERE company_code = '${tenantId}' AND code NOT IN
         (SELECT code FROM booking.programs WHERE company_code = '${tenantId}' ORDER BY code LIMIT ${programs})`,
    );
  }
  return tenants;
}
