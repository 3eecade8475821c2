import { packageFile } from "./package-file.ts";

/**
 * The OpenAPI 3.1 document of the API, generated from `schemas/`. Common tools read it (W65). It keeps all that released
 * documents promise (W66). Its objects are open, so that clients take the answers of later versions (W67).
 */
export async function openapiDocument(): Promise<string> {
  return await packageFile("schemas/generated/openapi.json");
}
