import type { CliSettings } from "../../shell/shell.ts";
import { terminalStatusTest } from "../public-program/capacity.ts";
import type { MappingRules } from "../public-program/public-program.ts";
import { type SourceLimits, sourceLimits } from "../source/source-limits.ts";
import type { LegacyCapacity } from "./rendered-program.ts";

/** What decides the content of a tenant's snapshot, beside its data. */
export interface ContentRules extends MappingRules {
  readonly legacyCapacity: LegacyCapacity;
  readonly limits: SourceLimits;
  /** The bound on a tenant's list and legacy response together. */
  readonly maxListBytes: number;
}

export function contentRules(settings: CliSettings): ContentRules {
  const { terminalStatuses, legacyCapacity, maxListMb } = settings;
  return {
    isTerminalStatus: terminalStatusTest(terminalStatuses),
    legacyCapacity,
    limits: sourceLimits(settings),
    maxListBytes: maxListMb * 1024 * 1024,
  };
}
