import { fileURLToPath } from "node:url";

/** The document that is published, as a file. */
export const documentPath = fileURLToPath(new URL("../../schemas/generated/openapi.json", import.meta.url));
