import { bareProgram } from "../../cli/partners/sandbox/sandbox-programs.ts";
import { renderedProgram } from "../../cli/publish/content/checked-program.ts";
import type { ProgramSource } from "../../cli/publish/public-program/program-source.ts";
import {
  type PublicProgram,
  publicProgram,
  terminalStatusTest,
} from "../../cli/publish/public-program/public-program.ts";
import { defaultTerminalStatuses } from "../../core/process/settings.ts";
import type { ProgramDetail, ProgramDetailResponse } from "../../schemas/generated/types.ts";

const rules = { isTerminalStatus: terminalStatusTest(defaultTerminalStatuses) };

/** An active program of which only the id, the name and the capacity are known. */
export function programSource(fields: Partial<ProgramSource> = {}): ProgramSource {
  const { programId = "p-1", ...own } = fields;
  return { ...bareProgram("p-1", { name: "Coastal Hike", capacityTotal: 20, ...own }), programId };
}

export function mapped(fields: Partial<ProgramSource> = {}): PublicProgram {
  return publicProgram(programSource(fields), rules);
}

export interface Published {
  /** What a partner reads back from the rendered bytes. */
  readonly detail: ProgramDetail;
  /** `code field = value` of each warning. */
  readonly warnings: readonly string[];
}

/** The published program; throws when it is not published. */
export function published(fields: Partial<ProgramSource> = {}): Published {
  const program = mapped(fields);
  if (program.kind !== "published") throw new Error(`not published: ${JSON.stringify(program)}`);
  const response: ProgramDetailResponse = JSON.parse(renderedProgram(program, "object").detail.toString());
  return {
    detail: response.data,
    warnings: program.problems.map(({ code, field, value }) => `${code} ${field} = ${value}`),
  };
}
