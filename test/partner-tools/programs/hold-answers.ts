// Holds answers of the API against the zod and valibot schemas of all generators; prints what does not fit, one JSON array.
// The file named by the argument has one object a line: {"kind": "list" | "detail" | "legacy" | "error", "body"}.
import { readFileSync } from "node:fs";
import { safeParse } from "valibot";
import * as valibot from "../../hey-api-valibot/valibot.gen";
import { schemas as zodClient } from "../../openapi-zod-client/client.ts";
import * as heyApi from "../hey-api/zod.gen";
import { errorResponseSchema } from "../kubb/zod/errorResponseSchema.ts";
import { legacyProgramsResponseSchema } from "../kubb/zod/legacyProgramsResponseSchema.ts";
import { programDetailResponseSchema } from "../kubb/zod/programDetailResponseSchema.ts";
import { programListResponseSchema } from "../kubb/zod/programListResponseSchema.ts";
import * as orval from "../orval/schemas.ts";

interface Schema {
  safeParse(value: unknown): { success: boolean; error?: unknown };
}

/** A schema of valibot with the method that those of zod have. */
function parser(schema: Parameters<typeof safeParse>[0]): Schema {
  return {
    safeParse(value) {
      const { success, issues } = safeParse(schema, value);
      return { success, error: issues?.map(({ message }) => message).join() };
    },
  };
}

const schemas: Record<string, Record<string, Schema>> = {
  list: {
    valibot: parser(valibot.vProgramListResponse),
    heyApi: heyApi.zProgramListResponse,
    kubb: programListResponseSchema,
    orval: orval.listProgramsResponse,
    zodClient: zodClient.ProgramListResponse,
  },
  detail: {
    valibot: parser(valibot.vProgramDetailResponse),
    heyApi: heyApi.zProgramDetailResponse,
    kubb: programDetailResponseSchema,
    orval: orval.getProgramResponse,
    zodClient: zodClient.ProgramDetailResponse,
  },
  legacy: {
    valibot: parser(valibot.vLegacyProgramsResponse),
    heyApi: heyApi.zLegacyProgramsResponse,
    kubb: legacyProgramsResponseSchema,
    orval: orval.listLegacyProgramsResponse,
    zodClient: zodClient.LegacyProgramsResponse,
  },
  error: {
    valibot: parser(valibot.vErrorResponse),
    heyApi: heyApi.zErrorResponse,
    kubb: errorResponseSchema,
    zodClient: zodClient.ErrorResponse,
  },
};

const misfits: string[] = [];
for (const line of readFileSync(process.argv[2] ?? "", "utf8")
  .trim()
  .split("\n")) {
  const { kind, body } = JSON.parse(line);
  for (const [tool, schema] of Object.entries(schemas[kind] ?? {})) {
    const { success, error } = schema.safeParse(body);
    if (!success) misfits.push(`${tool} ${kind}: ${String(error)} in ${line.slice(0, 200)}`);
  }
}
console.log(JSON.stringify(misfits));
