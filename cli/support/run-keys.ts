import { isSnapshotId, type SnapshotId } from "../../core/ids.ts";
import { runKey, runsPrefix } from "../../core/object-key.ts";

/** Ids of runs are like those of snapshots: they begin with their time, `20261121T120000Z`. */

/** The run that an object is the report of; `undefined` for what is none. */
export function runIdOf(key: string): SnapshotId | undefined {
  const id = key.slice(runsPrefix.length).replace(/\.json$/, "");
  return isSnapshotId(id) && key === runKey(id) ? id : undefined;
}

/** When the run began, in milliseconds since 1970. */
export function runStartMs(id: SnapshotId): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(id) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** Sorts right before the first report of that second: a report's key goes on with `-`. */
export function runKeyOfTime(time: Date): string {
  return `${runsPrefix}${time.toISOString().replace(/[-:]|\.\d{3}/g, "")}`;
}
