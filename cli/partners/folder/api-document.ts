import { packageFile } from "../../shell/package-file.ts";
import type { Company } from "./company.ts";

type Named<Part> = Readonly<Record<string, Part>>;
export type OrReference<Part> = Part | { readonly $ref: string };

/** The parts of the OpenAPI document that the pages read. The document is our own, so its shape is known. */
export interface ApiDocument {
  readonly info: { readonly version: string; readonly summary: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Named<PathItem>;
  readonly components: {
    readonly securitySchemes: Named<{ readonly description: string }>;
    readonly headers: Named<Header>;
    readonly schemas: Named<Schema>;
  };
}

export interface PathItem {
  readonly parameters: readonly OrReference<Parameter>[];
  readonly get: Operation;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly responses: Named<
    OrReference<{
      readonly description: string;
      readonly headers: Named<OrReference<Header>>;
      readonly content: Named<{ readonly schema: Schema; readonly examples: Named<OrReference<Example>> }>;
    }>
  >;
}

interface Parameter extends Header {
  readonly name: string;
  readonly in: string;
}

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Named<Example>;
}

interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: Schema;
  readonly properties?: Named<Schema>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/**
 * The OpenAPI 3.1 document of the API, generated from `schemas/`. Common tools read it (W65). It keeps all that released
 * documents promise (W66). Its objects are open, so that clients take the answers of later versions (W65).
 */
export async function openapiDocument(): Promise<string> {
  return await packageFile("schemas/generated/openapi.json");
}

/** W71: the document with the company's address and contact. */
export async function companyDocument({ name, baseUrl, contact }: Company): Promise<ApiDocument> {
  const document: ApiDocument = JSON.parse(await openapiDocument());
  const description = document.info.description.replaceAll(document.servers[0]?.url ?? "", () => baseUrl);
  const info = { ...document.info, description, contact: { name, [contact.kind]: contact.text } };
  const server = { url: baseUrl, description: `The gateway of ${name}.` };
  return { ...document, info, servers: [server] };
}

/** The part itself, or the part that the reference leads to. */
export function resolved<Part extends object>(document: ApiDocument, part: OrReference<Part>): Part {
  if (!("$ref" in part) || typeof part.$ref !== "string") return part as Part;
  const steps = part.$ref.replace(/^#\//, "").split("/");
  let found: unknown = document;
  for (const step of steps) found = (found as Record<string, unknown>)[step];
  return found as Part;
}

/** The last name in a reference: `Capacity` of `#/components/schemas/Capacity`. */
export function referenceName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
