/** The answer to a request. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** One request of the demonstration, and its answer. */
export interface Exchange extends Answer {
  readonly title: string;
  readonly path: string;
  /** What is wrong with the answer; `undefined` when it is as expected. */
  readonly fault: string | undefined;
}

/** A request, and what its answer must have. */
interface Plan {
  readonly title: string;
  readonly path: string;
  readonly token?: string;
  readonly status: number;
  readonly header?: string;
  readonly id?: string;
}

export interface Cast {
  readonly baseUrl: string;
  /** A token of a tenant, and another one of the same tenant that allows a single request per window. */
  readonly token: string;
  readonly narrowToken: string;
  /** A token of another tenant, whose programs the first tenant must not see. */
  readonly strangerToken: string;
}

const list = "/v1/programs";
const legacy = "/api/v1/partner/programs";

/** Makes the requests one after the other. */
export async function makeRequests(cast: Cast): Promise<readonly Exchange[]> {
  const { baseUrl, token, narrowToken, strangerToken } = cast;
  const id = await firstId(baseUrl, token);
  const strangersId = await firstId(baseUrl, strangerToken);
  await get(baseUrl, { path: list, token: narrowToken });
  const plans: readonly Plan[] = [
    { title: "The list", path: list, token, status: 200 },
    { title: "One program, all public fields", path: `${list}/${id}`, token, status: 200, id },
    { title: "The resource for old integrations", path: legacy, token, status: 200, header: "deprecation" },
    { title: "Another company's program does not exist", path: `${list}/${strangersId}`, token, status: 404 },
    { title: "No token, no answer", path: list, status: 401 },
    {
      title: "A second request in a minute",
      path: list,
      token: narrowToken,
      status: 429,
      header: "retry-after",
    },
  ];
  const exchanges: Exchange[] = [];
  for (const plan of plans) {
    const answer = await get(baseUrl, plan);
    exchanges.push({ title: plan.title, path: plan.path, ...answer, fault: faultOf(plan, answer) });
  }
  return exchanges;
}

async function get(baseUrl: string, { path, token }: Pick<Plan, "path" | "token">): Promise<Answer> {
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  const response = await fetch(baseUrl + path, headers === undefined ? {} : { headers });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function firstId(baseUrl: string, token: string): Promise<string> {
  const { status, body } = await get(baseUrl, { path: list, token });
  const [first] = (body as { readonly data?: readonly { readonly id: string }[] }).data ?? [];
  if (first === undefined) throw new Error(`The list has no programs (status ${status}).`);
  return first.id;
}

function faultOf(expected: Plan, { status, headers, body }: Answer): string | undefined {
  if (status !== expected.status) return `expected ${expected.status}, got ${status}`;
  if (expected.header !== undefined && !headers.has(expected.header))
    return `it has no header ${expected.header}`;
  const { data, meta } = body as {
    readonly data?: { readonly id?: string; readonly length?: number };
    readonly meta?: { readonly count: number };
  };
  if (expected.id !== data?.id) return "it is about another program";
  if (meta !== undefined && meta.count !== data?.length) return "meta.count is not the number of programs";
  return undefined;
}
