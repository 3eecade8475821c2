import type { Current } from "../../../core/current.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { Attempt } from "./attempt.ts";

/**
 * P27: makes the tenant's `live/` folder follow what is live, also after a build that published nothing. `known`: manifests that
 * need not be read. `mayExist`: false where the memory says that there is no folder, which spares a look. Says the same for the
 * next memory.
 */
export async function followLive(
  { context, options }: Attempt,
  current: Current | undefined,
  known: readonly (Manifest | undefined)[],
  mayExist: boolean,
): Promise<boolean> {
  if (current === undefined || options.dryRun || context.followLive === undefined) return true;
  const manifests = known.filter((manifest) => manifest !== undefined);
  const { rewrite } = options;
  const outcome = await context.followLive(context.store, current, { known: manifests, rewrite, mayExist });
  return outcome !== "absent" && outcome !== "removed";
}
