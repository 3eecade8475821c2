import { packageFile } from "./package-file.ts";

/**
 * W65: the OpenAPI 3.1 document of the API, as it was generated from `schemas/` for tools of all kinds. W66: it
 * takes nothing back. W67: it describes what partners may rely on, so its objects are open.
 */
export async function openapiDocument(): Promise<string> {
  return await packageFile("schemas/generated/openapi.json");
}
