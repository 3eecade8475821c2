import { packageFile } from "../../shell/package-file.ts";
import type { Company } from "./company.ts";

/**
 * The OpenAPI 3.1 document of the API, generated from `schemas/`. Common tools read it (W65). It keeps all that released
 * documents promise (W66). Its objects are open, so that clients take the answers of later versions (W65).
 */
export async function openapiDocument(): Promise<string> {
  return await packageFile("schemas/generated/openapi.json");
}

/** W71: the document with the company's address and contact. */
export async function companyDocument({ name, baseUrl, contact }: Company): Promise<object> {
  const document: OpenApiHead = JSON.parse(await openapiDocument());
  const description = document.info.description.replaceAll(document.servers[0]?.url ?? "", () => baseUrl);
  const info = { ...document.info, description, contact: { name, [contact.kind]: contact.text } };
  const server = { url: baseUrl, description: `The gateway of ${name}.` };
  return { ...document, info, servers: [server] };
}

/** The document is our own, so its shape is known. */
interface OpenApiHead {
  readonly info: { readonly description: string };
  readonly servers: readonly { readonly url: string }[];
}
