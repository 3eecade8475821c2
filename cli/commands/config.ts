import { asFailure } from "../../core/failure.ts";
import { singleLine } from "../../core/printable.ts";
import { showStoreAddress } from "../../core/store-address.ts";
import { readStoreIdentity, wrongStore } from "../../core/store-identity.ts";
import { layoutOf } from "../output/layout.ts";
import { type CliSettings, printJson, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { awsVariables, effectiveSettings, type FoundStore, settingsText } from "../support/settings.ts";
import { command, json } from "./command.ts";

/** `config`: the settings in force, their origin, and the store that they lead to. */
export const config = command({ json }, async (shell, { json }) => {
  const settings = effectiveSettings(shell.env);
  const aws = awsVariables(shell.env);
  const faults = settings.flatMap(({ fault }) => fault ?? []);
  const store = faults.length === 0 ? await foundStore(settingsOf(shell)) : undefined;
  if (store?.wrong !== undefined) faults.push(store.wrong);
  if (json) printJson(shell, { settings, aws, store: store?.found ?? null, faults });
  else shell.stdout.write(settingsText(settings, aws, store?.found, layoutOf(shell)));
  if (faults.length === 0) return 0;
  const lines = ["partner-programs: Settings are wrong:", ...faults.map(singleLine)];
  shell.stderr.write(`${lines.join("\n  ")}\n`);
  return 2;
});

/** The store that the settings lead to. `wrong` is the fault of a store other than the one that `STORE_ID` names. */
async function foundStore(
  settings: CliSettings,
): Promise<{ readonly found: FoundStore; readonly wrong?: string }> {
  const address = showStoreAddress(settings.storeUrl);
  // `config` is used when something does not work, so a store that is away gets two seconds at most (P160).
  const storeTimeoutMs = Math.min(settings.storeTimeoutMs, 2000);
  try {
    const identity = await withStore({ ...settings, storeId: undefined, storeTimeoutMs }, readStoreIdentity);
    const found = { address, storeId: identity?.storeId ?? null, unknown: null };
    const wrong = wrongStore(settings.storeId, identity?.storeId, address)?.message;
    return wrong === undefined ? { found } : { found, wrong };
  } catch (error) {
    return { found: { address, storeId: null, unknown: asFailure(error).message } };
  }
}
