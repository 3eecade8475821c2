import { readFile } from "node:fs/promises";
import { Failure } from "../../core/failure.ts";

/**
 * W65: the OpenAPI 3.1 document of the API, as it was generated from `schemas/` for tools of all kinds. W66: it
 * takes nothing back.
 */
export async function openapiDocument(): Promise<Buffer> {
  // The build nests one level deeper.
  for (const up of ["../..", "../../.."]) {
    const url = new URL(`${up}/schemas/generated/openapi.json`, import.meta.url);
    const bytes = await readFile(url).catch(() => undefined);
    if (bytes !== undefined) return bytes;
  }
  throw new Failure("internal", "The installation lacks schemas/generated/openapi.json; install it again.");
}
