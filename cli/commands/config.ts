import { asFailure } from "../../core/failure.ts";
import { singleLine } from "../../core/printable.ts";
import { showStoreAddress } from "../../core/store-address.ts";
import { readStoreIdentity, wrongStore } from "../../core/store-identity.ts";
import { layoutOf } from "../output/layout.ts";
import { type CliSettings, printResult, settingsOf, withStore } from "../shell/shell.ts";
import { awsVariables, effectiveSettings, type FoundStore, settingsText } from "../support/settings.ts";
import { command, json } from "./command.ts";

/** `config`: the settings in force, their origin, and the store that they lead to. */
export const config = command({ json }, async (shell, { json }) => {
  const settings = effectiveSettings(shell.env);
  const aws = awsVariables(shell.env);
  const faults = settings.flatMap(({ fault }) => fault ?? []);
  const store = faults.length === 0 ? await foundStore(settingsOf(shell), faults) : undefined;
  const text = settingsText(settings, aws, store, layoutOf(shell));
  printResult(shell, json, { settings, aws, store: store ?? null, faults }, text);
  if (faults.length === 0) return 0;
  const lines = ["partner-programs: Settings are wrong:", ...faults.map(singleLine)];
  shell.stderr.write(`${lines.join("\n  ")}\n`);
  return 2;
});

/** The store that the settings lead to. Adds a fault if it is not the one that `STORE_ID` names. */
async function foundStore(settings: CliSettings, faults: string[]): Promise<FoundStore> {
  const address = showStoreAddress(settings.storeUrl);
  // `config` is used when something does not work, so a store that is away gets two seconds at most (P160).
  const storeTimeoutMs = Math.min(settings.storeTimeoutMs, 2000);
  try {
    const identity = await withStore({ ...settings, storeId: undefined, storeTimeoutMs }, readStoreIdentity);
    const wrong = wrongStore(settings.storeId, identity?.storeId, address);
    if (wrong !== undefined) faults.push(wrong.message);
    return { address, storeId: identity?.storeId ?? null, unknown: null };
  } catch (error) {
    return { address, storeId: null, unknown: asFailure(error).message };
  }
}
