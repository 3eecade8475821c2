import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { breakingChanges } from "../../support/breaking-changes.ts";
import { page, projectRoot } from "../../support/markdown.ts";

const folder = join(projectRoot, "schemas/released");
const released = readdirSync(folder);
const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const current = () => read(join(projectRoot, "schemas/generated/openapi.json"));
const program = (document: ReturnType<typeof current>) => document.components.schemas.ProgramDetail;

describe("W66 the OpenAPI document", () => {
  test.each(released)("breaks nothing that %s promised", (name) => {
    expect(breakingChanges(read(join(folder, name)), current())).toEqual([]);
  });

  test("has its version's line in the partners' changelog, and each released one is kept", () => {
    const versions = [...page("docs/partner-changes.md").text.matchAll(/^### (\d+\.\d+\.\d+)/gm)].map(
      ([, version]) => version,
    );
    expect(versions[0]).toBe(current().info.version);
    expect(released.sort()).toEqual(versions.map((version) => `openapi-${version}.json`).sort());
  });
});

describe("the search for breaking changes", () => {
  test.each<readonly [string, RegExp, (document: ReturnType<typeof current>) => void]>([
    ["a path", /path removed/, ({ paths }) => delete paths["/v1/programs"]],
    ["a status", /429: status removed/, ({ paths }) => delete paths["/v1/programs"].get.responses[429]],
    [
      "an optional header",
      /Retry-After became optional/,
      ({ components }) => delete components.headers["Retry-After"].required,
    ],
    ["a removed field", /\.hotels: removed/, (document) => delete program(document).properties.hotels],
    ["an optional field", /\.media: became optional/, (document) => program(document).required.splice(-2, 1)],
    [
      "a field that may be null",
      /may be something else|type widened/,
      ({ components }) => {
        components.schemas.Guide.properties.name = { anyOf: [{ type: "string" }, { type: "null" }] };
      },
    ],
    ["a new word", /value added/, (document) => program(document).properties.status.enum.push("ended")],
    [
      "a message that is no text",
      /message: type widened/,
      ({ components }) => {
        components.schemas.ErrorDetail.properties.message.type = ["string", "null"];
      },
    ],
    [
      "a parameter that is required",
      /became required/,
      ({ components }) => {
        components.parameters["X-Request-Id"].required = true;
      },
    ],
    [
      "a body that must be sent",
      /a body became required/,
      ({ paths }) => {
        paths["/v1/programs"].get.requestBody = { required: true, content: {} };
      },
    ],
    [
      "another way to authenticate",
      /security changed/,
      ({ components }) => {
        components.securitySchemes.partnerToken = { type: "apiKey", in: "header", name: "X-Api-Key" };
      },
    ],
  ])("finds %s", (_what, finding, change) => {
    const changed = current();
    change(changed);
    expect(breakingChanges(current(), changed).join("\n")).toMatch(finding);
  });

  test("takes an addition as it is", () => {
    const changed = current();
    program(changed).properties.season = { type: ["string", "null"], description: "New." };
    changed.paths["/v1/programs"].get.responses[200].headers["Snapshot-New"] = { schema: { type: "string" } };
    expect(breakingChanges(current(), changed)).toEqual([]);
  });
});
