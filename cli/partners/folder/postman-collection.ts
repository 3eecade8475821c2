import type { Company } from "./company.ts";
import { mistypedToken, type TrialRequest, trialFolders } from "./trial-requests.ts";

/** The trial requests in Postman's collection format 2.1. */
export function postmanCollection({ name, baseUrl }: Company): string {
  const collection = {
    info: {
      name: `${name} programs API`,
      description:
        "Put your token into the collection's variable `token` as its current value, which Postman does not share. Then run the collection.",
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: bearer("{{token}}"),
    variable: [
      { key: "baseUrl", value: baseUrl },
      { key: "token", value: "", type: "string" },
      { key: "programId", value: "" },
    ],
    item: trialFolders.map((folder) => ({ name: folder.name, item: folder.requests.map(item) })),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

const prelude = [
  "const status = pm.response.code;",
  "const body = pm.response.json();",
  "const header = (name) => pm.response.headers.get(name);",
  "const keep = (name, value) => pm.collectionVariables.set(name, value);",
  "const check = (title, hold) => pm.test(title, hold);",
  "const expect = (value) => pm.expect(value);",
];

function item({ name, description, method, path, token, checks }: TrialRequest): object {
  return {
    name,
    event: [{ listen: "test", script: { type: "text/javascript", exec: [...prelude, ...checks] } }],
    request: {
      method,
      description,
      header: [],
      ...(token === "none" && { auth: { type: "noauth" } }),
      ...(token === "mistyped" && { auth: bearer(mistypedToken) }),
      url: { raw: `{{baseUrl}}${path}`, host: ["{{baseUrl}}"], path: path.split("/").slice(1) },
    },
    response: [],
  };
}

function bearer(token: string): object {
  return { type: "bearer", bearer: [{ key: "token", value: token, type: "string" }] };
}
