// Holds answers of the API against the zod schemas of two generators; prints what does not fit, one JSON
// array. The file named by the argument has one object a line: {"kind": "list" | "detail" | "legacy" |
// "error", "body"}.
import { readFileSync } from "node:fs";
import * as heyApi from "../hey-api/zod.gen";
import * as orval from "../orval/schemas.ts";

interface Schema {
  safeParse(value: unknown): { success: boolean; error?: unknown };
}

const schemas: Record<string, readonly Schema[]> = {
  list: [heyApi.zProgramListResponse, orval.listProgramsResponse],
  detail: [heyApi.zProgramDetailResponse, orval.getProgramResponse],
  legacy: [heyApi.zLegacyProgramsResponse, orval.listLegacyProgramsResponse],
  error: [heyApi.zErrorResponse],
};

const misfits: string[] = [];
for (const line of readFileSync(process.argv[2] ?? "", "utf8")
  .trim()
  .split("\n")) {
  const { kind, body } = JSON.parse(line);
  for (const schema of schemas[kind] ?? []) {
    const { success, error } = schema.safeParse(body);
    if (!success) misfits.push(`${kind}: ${String(error)} in ${line.slice(0, 200)}`);
  }
}
console.log(JSON.stringify(misfits));
