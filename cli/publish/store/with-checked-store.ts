import type { ObjectStore } from "../../../core/object-store.ts";
import { type CliSettings, type Shell, settingsOf } from "../../shell/shell.ts";
import { withStore } from "../../shell/with-store.ts";
import { identifiedStore } from "./identified-store.ts";
import { requireConditionalWrites } from "./probe-conditional-writes.ts";

/**
 * Runs with the store of the settings, for writing (P160), after a probe has shown that it honours conditional writes (P11).
 */
export async function withCheckedStore<Result>(
  shell: Shell,
  run: (store: ObjectStore) => Promise<Result>,
): Promise<Result> {
  const settings = settingsOf(shell);
  return await withStore(settings, async (store) => {
    await requireHonouredConditions(settings, store, shell);
    const identified = identifiedStore(store, settings, shell, { requireConditions: async () => {} });
    return await run(identified);
  });
}

/**
 * Throws unless the store honours conditional writes. A `file:` store needs no probe, since its driver decides the conditions.
 */
export async function requireHonouredConditions(
  { storeUrl }: CliSettings,
  store: ObjectStore,
  shell: Shell,
): Promise<void> {
  if (storeUrl.kind === "s3") await requireConditionalWrites(store, shell);
}
