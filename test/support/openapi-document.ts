import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The document that is published, as a file. */
export const documentPath = fileURLToPath(new URL("../../schemas/generated/openapi.json", import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: tests reach into the document at will
type Document = any;

/** Each fault that a tool once met in the document, put back. */
export const reverts = {
  rawCharacters: (document: Document) => {
    document.components.schemas.Text.pattern =
      "[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";
  },
  contentEncoding: (document: Document) => {
    for (const { get } of Object.values<Document>(document.paths))
      get.responses[200].headers["Content-Encoding"] = { schema: { type: "string" }, example: "gzip" };
  },
  lookAhead: (document: Document) => {
    document.components.schemas.CalendarDate.pattern = "^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}$";
  },
  noFormat: (document: Document) => {
    for (const name of ["CalendarDate", "Instant", "HttpsUrl"])
      delete document.components.schemas[name].format;
  },
  nullInEnum: (document: Document) => {
    document.components.schemas.StaffTeacher.properties.gender = {
      type: ["string", "null"],
      enum: ["male", "female", null],
    };
  },
  oneNameTwice: (document: Document) => {
    const { responses } = document.components;
    responses.ErrorDetail = responses.UnexpectedError;
    for (const { get } of Object.values<Document>(document.paths))
      get.responses[500] = { $ref: "#/components/responses/ErrorDetail" };
  },
  serverVariable: (document: Document) => {
    document.servers = [
      {
        url: "https://{host}",
        variables: { host: { default: "programs.tours.example", description: "The host." } },
      },
    ];
  },
  sharedChallenge: (document: Document) => {
    document.components.responses.Forbidden.headers["WWW-Authenticate"] = {
      $ref: "#/components/headers/WWW-Authenticate",
    };
  },
  closedObjects: (document: Document) => {
    for (const schema of Object.values<Document>(document.components.schemas))
      if (schema.type === "object") schema.additionalProperties = false;
  },
  ownClassName: (document: Document) => {
    const { schemas } = document.components;
    schemas.ApiError = schemas.ErrorDetail;
    delete schemas.ErrorDetail;
    schemas.ErrorResponse.properties.error = { $ref: "#/components/schemas/ApiError" };
  },
  noContact: (document: Document) => {
    delete document.info.contact;
  },
  noListRefusal: (document: Document) => {
    delete document.paths["/v1/programs"].get.responses[400];
  },
} as const;

/** Writes the document with one fault put back, or as it is; returns its path. */
export async function writeDocument(work: string, fault?: keyof typeof reverts): Promise<string> {
  const document: Document = JSON.parse(readFileSync(documentPath, "utf8"));
  if (fault !== undefined) reverts[fault](document);
  const path = join(work, `${fault ?? "openapi"}.json`);
  await writeFile(path, JSON.stringify(document, null, 2));
  return path;
}
