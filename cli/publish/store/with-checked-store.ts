import type { ObjectStore } from "../../../core/object-store.ts";
import { type CliSettings, type Shell, settingsOf } from "../../shell/shell.ts";
import { withStore } from "../../shell/with-store.ts";
import { identifiedStore } from "./identified-store.ts";
import { requireConditionalWrites } from "./probe-conditional-writes.ts";

/**
 * Runs with the store of the settings, for writing (P160), after a probe has shown that it honours conditional writes (P11).
 * Without `isProbed`, a store that has an identity is used without the probe.
 */
export async function withCheckedStore<Result>(
  shell: Shell,
  run: (store: ObjectStore) => Promise<Result>,
  isProbed = true,
): Promise<Result> {
  const settings = settingsOf(shell);
  return await withStore(settings, async (store) => {
    const requireConditions = (): Promise<void> => requireHonouredConditions(settings, store, shell);
    if (isProbed) await requireConditions();
    return await run(identifiedStore(store, settings, shell, { requireConditions }));
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
