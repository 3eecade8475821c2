/** A request for partners to try, and the checks of its answer. Postman and Bruno get the same ones. */
export interface TrialRequest {
  readonly name: string;
  readonly description: string;
  readonly method: "GET" | "POST";
  /** The path after the base address. `{{programId}}` is the id of a program that an earlier request has kept. */
  readonly path: string;
  readonly token: "yours" | "none" | "mistyped";
  /** Lines of JavaScript that both tools run. They may use `status`, `body`, `header`, `keep`, `check` and `expect`. */
  readonly checks: readonly string[];
}

export interface TrialFolder {
  readonly name: string;
  readonly requests: readonly TrialRequest[];
}

/** A text in the place of a token, which is no token of anybody. */
export const mistypedToken = "ppr_mistyped";

const list = "/v1/programs";

/** W74: each request checks the API's answer, so a run of all requests shows whether the token and the address work. */
export const trialFolders: readonly TrialFolder[] = [
  {
    name: "Programs",
    requests: [
      {
        name: "List the programs",
        description: "All programs of the company. Keeps the id of the first one for the next request.",
        ...{ method: "GET", path: list, token: "yours" },
        checks: [
          ...statusIs(200),
          'check("the list is whole", () => expect(body.meta.count).to.equal(body.data.length));',
          'check("the company offers something", () => expect(body.data).not.to.be.empty);',
          'keep("programId", body.data[0]?.id ?? "");',
        ],
      },
      {
        name: "Get one program",
        description: "The first program of the list with everything that is public about it.",
        ...{ method: "GET", path: `${list}/{{programId}}`, token: "yours" },
        checks: [
          ...statusIs(200),
          'check("it names its snapshot", () => expect(header("Snapshot-Id")).to.match(/^[0-9TZ]+-[0-9a-f]+$/));',
          'check("every field is there", () => expect(body.data).to.include.keys("id", "prices", "hotels", "content"));',
        ],
      },
      {
        name: "List names and places (deprecated)",
        description: "The resource of old integrations. New ones use /v1/programs.",
        ...{ method: "GET", path: "/api/v1/partner/programs", token: "yours" },
        checks: [
          ...statusIs(200),
          'check("it says that it is deprecated", () => expect(header("Deprecation")).to.match(/^@[0-9]+$/));',
        ],
      },
    ],
  },
  {
    name: "Refusals",
    requests: [
      refusal("400 Ill-formed id", `${list}/-`, 400, "invalid_request"),
      refusal("401 No token", list, 401, "unauthorized", { token: "none" }),
      refusal("401 Mistyped token", list, 401, "unauthorized", { token: "mistyped" }),
      refusal("404 Unknown program", `${list}/no-such-program`, 404, "not_found"),
      refusal("404 Unknown path", "/v1/program", 404, "not_found"),
      refusal("405 Wrong method", list, 405, "method_not_allowed", { method: "POST" }),
    ],
  },
];

function refusal(
  name: string,
  path: string,
  status: number,
  code: string,
  more: Partial<Pick<TrialRequest, "method" | "token">> = {},
): TrialRequest {
  return {
    name,
    description: `Answered with ${status} and the code ${code}; what-can-go-wrong.html says what to do about it.`,
    ...{ method: "GET", token: "yours", path, ...more },
    checks: [
      ...statusIs(status),
      `check("the code is ${code}", () => expect(body.error.code).to.equal("${code}"));`,
      'check("the body repeats the request id", () => expect(body.requestId).to.equal(header("X-Request-Id")));',
    ],
  };
}

function statusIs(status: number): readonly string[] {
  return [`check("status ${status}", () => expect(status).to.equal(${status}));`];
}
