/** One request of the demonstration, and its answer. */
export interface Exchange {
  readonly title: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  /** What is wrong with the answer; `undefined` when it is as expected. */
  readonly fault: string | undefined;
}

interface Plan {
  readonly title: string;
  readonly path: string;
  readonly token?: string;
  readonly expectedStatus: number;
  readonly fault?: (body: unknown, headers: Headers) => string | undefined;
}

export interface Cast {
  readonly baseUrl: string;
  /** A token of a tenant, and another one of the same tenant that allows a single request per window. */
  readonly token: string;
  readonly narrowToken: string;
  /** A token of another tenant, whose programs the first tenant must not see. */
  readonly strangerToken: string;
}

/** Makes the requests one after the other. */
export async function makeRequests(cast: Cast): Promise<readonly Exchange[]> {
  const { baseUrl, token, narrowToken, strangerToken } = cast;
  const ownId = await firstId(baseUrl, token);
  const strangersId = await firstId(baseUrl, strangerToken);
  await fetch(`${baseUrl}/v1/programs`, { headers: bearer(narrowToken) });
  const plans: readonly Plan[] = [
    { title: "The list", path: "/v1/programs", token, expectedStatus: 200, fault: listFault },
    {
      title: "One program, all public fields",
      path: `/v1/programs/${ownId}`,
      token,
      expectedStatus: 200,
      fault: (body) => (idOf(body) === ownId ? undefined : "the answer is about another program"),
    },
    {
      title: "The deprecated resource, for old integrations",
      path: "/api/v1/partner/programs",
      token,
      expectedStatus: 200,
      fault: (_, headers) => (headers.has("deprecation") ? undefined : "there is no Deprecation header"),
    },
    {
      title: "Another company's program does not exist",
      path: `/v1/programs/${strangersId}`,
      token,
      expectedStatus: 404,
    },
    { title: "No token, no answer", path: "/v1/programs", expectedStatus: 401 },
    {
      title: "A token that allows one request per minute",
      path: "/v1/programs",
      token: narrowToken,
      expectedStatus: 429,
      fault: (_, headers) => (headers.has("retry-after") ? undefined : "there is no Retry-After header"),
    },
  ];
  const exchanges: Exchange[] = [];
  for (const plan of plans) exchanges.push(await exchange(baseUrl, plan));
  return exchanges;
}

async function exchange(baseUrl: string, plan: Plan): Promise<Exchange> {
  const { title, path, expectedStatus } = plan;
  const headers = plan.token === undefined ? undefined : bearer(plan.token);
  const response = await fetch(baseUrl + path, headers === undefined ? {} : { headers });
  const body: unknown = await response.json();
  const wrongStatus =
    response.status === expectedStatus ? undefined : `expected ${expectedStatus}, got ${response.status}`;
  const fault = wrongStatus ?? plan.fault?.(body, response.headers);
  return { title, path, status: response.status, headers: response.headers, body, fault };
}

function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

async function firstId(baseUrl: string, token: string): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/programs`, { headers: bearer(token) });
  const { data } = (await response.json()) as { readonly data?: readonly { readonly id: string }[] };
  const id = data?.[0]?.id;
  if (id === undefined) throw new Error(`The list has no programs (status ${response.status}).`);
  return id;
}

function listFault(body: unknown): string | undefined {
  const { data, meta } = body as {
    readonly data: readonly unknown[];
    readonly meta: { readonly count: number };
  };
  return data.length > 0 && data.length === meta.count
    ? undefined
    : "meta.count is not the number of programs";
}

function idOf(body: unknown): string {
  return (body as { readonly data: { readonly id: string } }).data.id;
}
