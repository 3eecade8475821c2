import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  isErrorResponse,
  isLegacyProgramsResponse,
  isProgramDetailResponse,
  isProgramListResponse,
} from "../../../schemas/generated/validators-published.ts";
import { type BendingProxy, startBendingProxy } from "../../support/bending-proxy.ts";
import { documentPath } from "../../support/openapi-document.ts";
import { installedTools } from "../../support/partner-tools.ts";
import { openPartnerWorld, type PartnerWorld } from "../../support/partner-world.ts";
import { type Prism, startPrism } from "../../support/prism.ts";

let world: PartnerWorld;
let bent: BendingProxy;
let mock: Prism;
let proxy: Prism;

beforeAll(async () => {
  const tools = await installedTools();
  world = await openPartnerWorld();
  bent = await startBendingProxy(world.api);
  mock = await startPrism(tools, documentPath);
  proxy = await startPrism(tools, documentPath, { upstream: bent.url });
});

afterAll(async () => {
  await Promise.all([mock?.stop(), proxy?.stop(), bent?.stop(), world?.close()]);
});

const detail = "/v1/programs/{programId}";
const lists = ["/v1/programs", "/api/v1/partner/programs"] as const;
const isSuccess = {
  "/v1/programs": isProgramListResponse,
  "/api/v1/partner/programs": isLegacyProgramsResponse,
  [detail]: isProgramDetailResponse,
};
const statuses = [200, 400, 401, 403, 405, 429, 500] as const;
const operations: readonly { readonly path: keyof typeof isSuccess; readonly status: number }[] = [
  ...lists.flatMap((path) => statuses.map((status) => ({ path, status }))),
  ...[...statuses, 404].map((status) => ({ path: detail, status }) as const),
];

describe("W65 Prism", () => {
  test.each(operations)("mocks $status of $path, to be read through fetch", async ({ path, status }) => {
    const response = await fetch(mock.url + path.replace("{programId}", "lisbon-douro-2027-05"), {
      headers: { authorization: "Bearer any", prefer: `code=${status}` },
    });
    expect(response.status).toBe(status);
    const body: unknown = await response.json();
    expect(status === 200 ? isSuccess[path](body) : isErrorResponse(body)).toBe(true);
    const challenge = response.headers.get("www-authenticate");
    if (status === 401) expect(challenge).toBe('Bearer realm="programs"');
    if (status === 403) expect(challenge).toContain('error="insufficient_scope"');
  });

  test.each(operations)("finds nothing wrong with the real $status of $path", async ({ path, status }) => {
    const { token, bend, id } = causeOf(status);
    const response = await fetch(proxy.url + path.replace("{programId}", id), {
      headers: { authorization: `Bearer ${token}`, ...(bend === undefined ? {} : { "x-bend": bend }) },
    });
    await response.text();
    expect([response.status, violations(response)]).toEqual([status, []]);
  });

  test("finds nothing wrong with any program, nor with a gzip answer of one", async () => {
    for (const id of world.programIds) {
      const response = await fetch(`${proxy.url}/v1/programs/${id}`, {
        headers: { authorization: `Bearer ${world.token}`, "accept-encoding": "gzip" },
      });
      expect([response.status, violations(response)]).toEqual([200, []]);
      expect(isProgramDetailResponse(await response.json())).toBe(true);
    }
  });

  /** What makes the gateway answer so. */
  function causeOf(status: number): { token: string; bend?: string; id: string } {
    const { token, refused } = world;
    const id = world.programIds[0] ?? "";
    const causes: Readonly<Record<number, { token?: string; bend?: string; id?: string }>> = {
      400: { bend: "no-host" },
      401: { token: refused.revoked },
      403: { token: refused.withoutScope },
      404: { id: "none" },
      405: { bend: "post" },
      429: { token: refused.usedUp },
      500: { token: refused.unpublished },
    };
    return { token, id, ...causes[status] };
  }
});

/** What Prism says of the answer. */
function violations(response: Response): unknown[] {
  const found: readonly { location: readonly string[] }[] = JSON.parse(
    response.headers.get("sl-violations") ?? "[]",
  );
  return found.filter(({ location }) => location[0] === "response");
}
