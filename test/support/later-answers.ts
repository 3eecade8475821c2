import { readFileSync } from "node:fs";

/** An answer as the document shows it, by the schema that describes it. */
export interface DocumentedAnswer {
  readonly schema:
    | "ProgramListResponse"
    | "ProgramDetailResponse"
    | "LegacyProgramsResponse"
    | "ErrorResponse";
  readonly name: string;
  readonly body: unknown;
}

/** The answers that the document has as examples. */
export function documentedAnswers(): readonly DocumentedAnswer[] {
  const file = new URL("../../schemas/generated/openapi.json", import.meta.url);
  const { examples } = JSON.parse(readFileSync(file, "utf8")).components;
  return Object.entries<{ value: unknown }>(examples).map(([name, { value }]) => {
    const answer = /^(ProgramList|ProgramDetail|LegacyPrograms)/.exec(name)?.[0];
    const schema =
      answer === undefined ? "ErrorResponse" : (`${answer}Response` as DocumentedAnswer["schema"]);
    return { schema, name, body: value };
  });
}

/**
 * The answer as a later version may send it: a further field in each object, and another wording of a
 * message.
 */
export function laterAnswer(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(laterAnswer);
  if (typeof body !== "object" || body === null) return body;
  const entries = Object.entries(body).map(([key, value]) => [key, laterAnswer(value)]);
  const wording = "code" in body && "message" in body ? { message: "In other words" } : {};
  return { ...Object.fromEntries(entries), ...wording, addedLater: { since: "a later version" } };
}
