import type { ProgramId } from "../../../core/ids.ts";
import {
  isProgramDetailResponse,
  isProgramListItem,
} from "../../../schemas/generated/validators-published.ts";
import { validate } from "../../../schemas/validate.ts";
import { type DataProblem, shownValue } from "../public-program/problem.ts";
import type { RenderedProgram } from "./rendered-program.ts";

/**
 * D11: the first way in which the rendered *bytes*, read back as a partner would, break the published schema. The mapping
 * leaves nothing to find; this is what holds when the mapping is wrong one day, or the source gives nested arrays.
 */
export function schemaViolation(rendered: RenderedProgram, programId: ProgramId): DataProblem | undefined {
  const checks = [
    [isProgramDetailResponse, rendered.detail],
    [isProgramListItem, rendered.listItem],
  ] as const;
  for (const [isValid, text] of checks) {
    const bytes = Buffer.from(text);
    const result = validate<unknown>(isValid, JSON.parse(bytes.toString("utf8")));
    if (result.valid) continue;
    const { path, expected, found } = result.violation;
    return {
      code: "schema_violation",
      programId,
      field: path,
      value: shownValue(`must ${expected}: ${found}`),
    };
  }
  return undefined;
}
