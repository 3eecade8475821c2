import type { ProgramSum, StrayRows } from "../source/program-sums.ts";
import type { ReadProgram } from "../source/read-programs.ts";
import type { TenantRows } from "../source/tenant-rows.ts";
import type { SourceMemory } from "./read-source-memory.ts";
import type { RememberedPrograms } from "./remembered-programs.ts";
import { maxNameLength, SourceChanges } from "./source-changes.ts";

/** What a tenant's source says, held against what is remembered of it. */
export interface SourceReading {
  readonly changes: SourceChanges;
  /** Vouches for the programs that `changes` has kept; `undefined` when everything is read. */
  readonly remembered: RememberedPrograms | undefined;
  readonly strays: readonly StrayRows[];
  /** SHA-256 (hex) of the sums of all programs. */
  readonly sums: string;
  /** Only some programs were looked at. */
  readonly isHinted: boolean;
  /** The programs that have changed, by id. Called at most once. */
  readonly programs: () => AsyncGenerator<readonly ReadProgram[], void>;
}

/** Of more changed programs than this share, all are read: to look each of them up by its name would cost more. */
const maxChangedShare = 1 / 3;

/**
 * P21: asks for the sums of the tenant's programs and finds those that are not as they were. `hinted`: the only ones that may have
 * changed since the memory was written; of no use without one.
 */
export async function readSource(
  rows: TenantRows,
  memory: Promise<SourceMemory | undefined>,
  hinted: ReadonlySet<string> | undefined,
): Promise<SourceReading> {
  const only = hinted === undefined ? undefined : onlyHinted(rememberedIn(await memory), hinted);
  const names = only === undefined ? undefined : [...only];
  const early: ProgramSum[] = [];
  let take = (sum: ProgramSum): unknown => early.push(sum);
  // The database adds up while the memory is fetched and parsed.
  const reading = rows.sums((sum) => take(sum), names);
  reading.catch(() => {});
  const remembered = rememberedIn(await memory);
  const changes = new SourceChanges(remembered?.programs, only);
  for (const sum of early.splice(0)) changes.add(sum);
  take = (sum) => changes.add(sum);
  const sizes = await reading;
  const { strays, sums } = changes.finish();
  const all = changes.ids.length + changes.kept.length;
  const isWorthwhile = changes.canBeNamed && changes.ids.length <= all * maxChangedShare;
  const isByName = remembered !== undefined && (only !== undefined || isWorthwhile);
  if (!isByName) changes.forget();
  return {
    changes,
    remembered: isByName ? remembered.programs : undefined,
    strays,
    sums,
    isHinted: only !== undefined,
    programs: () => {
      if (isByName && changes.ids.length === 0) return nothing();
      return rows.programs(sizes, isByName ? changes.ids : undefined);
    },
  };
}

type RememberedSource = Extract<SourceMemory, { kind: "programs" }>;

function rememberedIn(memory: SourceMemory | undefined): RememberedSource | undefined {
  return memory?.kind === "programs" ? memory : undefined;
}

/** Rows of unknown programs are found by looking at all of them, so a tenant that has such rows takes no hints. */
function onlyHinted(
  memory: RememberedSource | undefined,
  hinted: ReadonlySet<string>,
): ReadonlySet<string> | undefined {
  if (memory === undefined || memory.unlisted === null) return undefined;
  const only = new Set([...hinted, ...memory.unlisted]);
  const canBeNamed = [...only].every((id) => id.length <= maxNameLength);
  return memory.strays.length > 0 || !canBeNamed ? undefined : only;
}

async function* nothing(): AsyncGenerator<readonly ReadProgram[], void> {}
