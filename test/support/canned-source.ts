import { randomBytes } from "node:crypto";
import { bareProgram } from "../../cli/partners/sandbox/sandbox-programs.ts";
import type { ProgramSource } from "../../cli/publish/public-program/program-source.ts";
import { terminalStatusTest } from "../../cli/publish/public-program/public-program.ts";
import type { SourceLimits } from "../../cli/publish/source/program-row.ts";
import type { WithTenantRows } from "../../cli/publish/source/tenant-rows.ts";
import type { BuildContext, BuildOptions } from "../../cli/publish/tenant/build-context.ts";
import { buildTenant } from "../../cli/publish/tenant/build-tenant.ts";
import { parseTenantId } from "../../core/ground/ids.ts";
import { defaultTerminalStatuses } from "../../core/process/settings.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import type { TenantRun } from "../../schemas/generated/types.ts";

/** A program that is active unless it says otherwise, and has no other children than prices. */
export interface CannedProgram
  extends Partial<
    Pick<ProgramSource, "lifecycleState" | "departureDate" | "returnDate" | "currency" | "roomPrices">
  > {
  readonly programId: string;
  readonly name: string;
  /** Only the detail shows it. */
  readonly description?: string;
}

/**
 * Rows that give these programs instead of asking a database: for tests in which only the store counts. What
 * a reading sees is what `programs` gives when `onReading` has resolved, and nothing that changes later.
 * `onSums`: awaited before the sums are given.
 */
export function cannedRows(
  programs: () => readonly CannedProgram[],
  onReading: () => Promise<void> = async () => {},
  onSums: () => Promise<void> = async () => {},
): WithTenantRows {
  return async (_, read) => {
    await onReading();
    const found = [...programs()].sort((a, b) => (a.programId < b.programId ? -1 : 1));
    return await read({
      sums: async () => {
        await onSums();
        const sums = found.map((program) => [program.programId, JSON.stringify(program)] as const);
        return { sums: new Map(sums), strays: [] };
      },
      async *programs({ only }) {
        const wanted = found.filter(({ programId }) => only === undefined || only.includes(programId));
        yield wanted.map((program) => ({ source: sourceOf(program), isDuplicate: false }));
      },
      withdrawn: async () => [],
    });
  };
}

function sourceOf({ programId, ...known }: CannedProgram): ProgramSource {
  return { ...bareProgram(programId, { capacityTotal: 20, ...known }), programId };
}

/** Builds the tenant from these programs, on the real code. */
export async function buildCanned(
  store: ObjectStore,
  tenant: string,
  programs: readonly CannedProgram[],
  options: Partial<BuildOptions> & {
    readonly now?: BuildContext["now"];
    readonly onReading?: () => Promise<void>;
    readonly onSums?: () => Promise<void>;
    readonly followLive?: BuildContext["followLive"];
    readonly isNotified?: boolean;
  } = {},
): Promise<TenantRun> {
  return await buildTenant(
    parseTenantId(tenant),
    { ...cannedOptions, ...options },
    {
      withRows: cannedRows(() => programs, options.onReading, options.onSums),
      store,
      now: options.now ?? (() => new Date()),
      randomBytes,
      onProgress: () => {},
      followLive: options.followLive,
      isNotified: options.isNotified,
      signal: new AbortController().signal,
    },
  );
}

export const cannedLimits: SourceLimits = { maxValueBytes: 1024 * 1024, maxProgramBytes: 4 * 1024 * 1024 };

export const cannedOptions: BuildOptions = {
  concurrency: 1,
  onInvalid: "fail",
  allowShrink: true,
  allowEmptied: true,
  allowShared: true,
  allowScaled: true,
  allowVanished: true,
  rewrite: false,
  dryRun: false,
  rules: {
    terminalStatuses: defaultTerminalStatuses,
    isTerminalStatus: terminalStatusTest(defaultTerminalStatuses),
    legacyCapacity: "object",
    limits: cannedLimits,
    maxListBytes: 1024 * 1024,
  },
  recipe: "c0".repeat(32),
};
