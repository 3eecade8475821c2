import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TenantClaims, withClaimsSession } from "../../../cli/publish/run/tenant-claims.ts";
import { parseTenantId } from "../../../core/ids.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

const acme = parseTenantId("acme");
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true });
});

afterAll(async () => {
  await database.drop();
});

function withClaims<Result>(
  run: (claims: TenantClaims) => Promise<Result>,
  scope = "store",
): Promise<Result> {
  return withClaimsSession({ databaseUrl: database.url, scope }, async (session) =>
    run(await session.begin(0)),
  );
}

describe("several builders sharing the tenants", () => {
  test("give a tenant to one of them at a time", async () => {
    await withClaims((one) =>
      withClaims(async (other) => {
        expect(await one.tryClaim(acme)).toBe("ours");
        expect(await other.tryClaim(acme)).toBe("taken");
      }),
    );
  });

  test("do not build again what another published from a reading that began after their own start", async () => {
    await withClaims((one) =>
      withClaims(async (other) => {
        expect(await one.tryClaim(acme)).toBe("ours");
        await one.release(acme, true);
        expect(await other.tryClaim(acme)).toBe("done");
      }),
    );
  });

  test("build again what was read before they were started: the operator may have changed it since", async () => {
    await withClaims(async (one) => {
      expect(await one.tryClaim(acme)).toBe("ours");
      await withClaims(async (later) => {
        await one.release(acme, true);
        expect(await later.tryClaim(acme)).toBe("ours");
      });
    });
  });

  test("take over what another failed to build", async () => {
    await withClaims((one) =>
      withClaims(async (other) => {
        expect(await one.tryClaim(acme)).toBe("ours");
        await one.release(acme, false);
        expect(await other.tryClaim(acme)).toBe("ours");
      }),
    );
  });

  test("take over the tenants of a builder that is lost", async () => {
    await withClaims(async (survivor) => {
      await withClaims(async (lost) => {
        expect(await lost.tryClaim(acme)).toBe("ours");
        expect(await survivor.tryClaim(acme)).toBe("taken");
        await database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_locks
            WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        await expect.poll(() => survivor.tryClaim(acme)).toBe("ours");
      });
    });
  });

  test("of other content or for another store are no competitors", async () => {
    await withClaims((one) =>
      withClaims(async (other) => {
        expect(await one.tryClaim(acme)).toBe("ours");
        expect(await other.tryClaim(acme)).toBe("ours");
      }, "another store"),
    );
  });
});
