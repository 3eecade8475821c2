import { Command } from "commander";
import { asFailure } from "../../core/failure.ts";
import { singleLine } from "../../core/printable.ts";
import { showStoreAddress } from "../../core/store-address.ts";
import { readStoreIdentity, wrongStore } from "../../core/store-identity.ts";
import { layoutOf } from "../output/layout.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, type CliSettings, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { awsVariables, effectiveSettings, type FoundStore, settingsText } from "../support/settings.ts";

/** `config`: the settings in force, their origin, and the store that they lead to. */
export function config(shell: Shell): Command {
  return new Command()
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, { json }: { readonly json: boolean }): Promise<ExitStatus> {
  const settings = effectiveSettings(shell.env);
  const aws = awsVariables(shell.env);
  const faults = settings.flatMap(({ fault }) => fault ?? []);
  const store = faults.length === 0 ? await foundStore(settingsOf(shell)) : undefined;
  if (store?.wrong !== undefined) faults.push(store.wrong);
  if (json) printJson(shell, { settings, aws, store: store?.found ?? null, faults });
  else shell.stdout.write(settingsText(settings, aws, store?.found, layoutOf(shell)));
  if (faults.length === 0) return 0;
  shell.stderr.write(
    ["partner-programs: Settings are wrong:", ...faults.map(singleLine)].join("\n  ").concat("\n"),
  );
  return 2;
}

/** The store that the settings lead to. `wrong` is the fault of a store other than the one that `STORE_ID` names. */
async function foundStore(
  settings: CliSettings,
): Promise<{ readonly found: FoundStore; readonly wrong?: string }> {
  const address = showStoreAddress(settings.storeUrl);
  const { storeId: wanted } = settings;
  try {
    // `config` is used when something does not work, so a store that is away gets two seconds at most (P163).
    const impatient = {
      ...settings,
      storeId: undefined,
      storeTimeoutMs: Math.min(settings.storeTimeoutMs, 2000),
    };
    const identity = await withStore(impatient, readStoreIdentity);
    const found = { address, storeId: identity?.storeId ?? null, unknown: null };
    const wrong = wrongStore(wanted, identity?.storeId, address)?.message;
    return wrong === undefined ? { found } : { found, wrong };
  } catch (error) {
    return { found: { address, storeId: null, unknown: asFailure(error).message } };
  }
}
