import type { Manifest } from "../../../core/manifest.ts";
import type { Attempt } from "./attempt.ts";

/**
 * P27: makes the tree for people follow what is live by now, also after a build that published nothing. `mayExist`: what the
 * memory says of it, which spares a look for a tree that is not wanted. `published`: the manifest of this build.
 */
export async function followLive(
  { context, options, record, pointer, live }: Attempt,
  mayExist: boolean,
  published?: Manifest,
): Promise<void> {
  const current = record.after ?? pointer?.current;
  if (current === undefined || options.dryRun || context.followLive === undefined) return;
  const known = [live, published].filter((manifest) => manifest !== undefined);
  const { rewrite } = options;
  const outcome = await context.followLive(context.store, current, { known, rewrite, mayExist });
  record.mayHaveLiveTree = outcome !== "absent" && outcome !== "removed";
}
