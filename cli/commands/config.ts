import { asFailure } from "../../core/ground/failure.ts";
import { printable, singleLine } from "../../core/ground/printable.ts";
import { misspeltSettings, misspeltText } from "../../core/process/misspelt-settings.ts";
import { readStoreIdentity, wrongStore } from "../../core/process/open-store.ts";
import {
  type Environment,
  parseSetting,
  type Setting,
  settingText,
} from "../../core/process/setting-parser.ts";
import { cliSettings, gatewaySettings } from "../../core/process/settings.ts";
import { showStoreAddress } from "../../core/process/store-address.ts";
import { type Layout, layoutOf, table } from "../output/layout.ts";
import { type CliSettings, printResult, settingsOf, withStore } from "../shell/shell.ts";
import { command, json } from "./command.ts";

/** `config`: the settings in force, their origin, and the store that they lead to. */
export const config = command({ json }, async (shell, { json }) => {
  const settings = effectiveSettings(shell.env);
  const aws = awsVariables(shell.env);
  const faults = settings.flatMap(({ fault }) => fault ?? []);
  const store = faults.length === 0 ? await foundStore(settingsOf(shell), faults) : undefined;
  const misspelt = misspeltSettings(shell.env);
  const hints = misspelt.map((each) => `\n${printable(misspeltText(each))}\n`).join("");
  const text = `${settingsText(settings, aws, store, layoutOf(shell))}${hints}`;
  printResult(shell, json, { settings, aws, store: store ?? null, faults, misspelt }, text);
  if (faults.length === 0) return 0;
  const lines = ["partner-programs: Settings are wrong:", ...faults.map(singleLine)];
  shell.stderr.write(`${lines.join("\n  ")}\n`);
  return 2;
});

type FoundStore = Awaited<ReturnType<typeof foundStore>>;

/**
 * The store that the settings lead to. `storeId`: its identity, `null` when it has none, or when nobody could
 * find out; then `unknown` says why. Adds a fault if it is not the one that `STORE_ID` names.
 */
async function foundStore(settings: CliSettings, faults: string[]) {
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

/** Both programs' settings in force, in their tables' order, with origin or fault. Secrets are hidden. */
export function effectiveSettings(env: Environment) {
  const programs = [
    ["partner-programs", Object.values(cliSettings)],
    ["partner-programs-gateway", Object.values(gatewaySettings)],
  ] as const;
  const all: readonly Setting<unknown>[] = programs.flatMap(
    ([, settings]) => [...settings] as Setting<unknown>[],
  );
  return [...new Map(all.map((setting) => [setting.name, setting])).values()].map((setting) => {
    const { name, about } = setting;
    const usedBy = programs.flatMap(([program, settings]) =>
      settings.some((own) => own.name === name) ? [program] : [],
    );
    const parsed = parseSetting(setting, env);
    const { origin } = parsed;
    if ("fault" in parsed) return { name, about, usedBy, origin, value: null, fault: parsed.fault };
    return { name, about, usedBy, origin, value: setting.show(parsed.value), fault: null };
  });
}

/** An allow-list, since any other variable that begins with AWS_ may be a secret. */
const harmless =
  /^AWS_((DEFAULT_)?REGION|PROFILE|ENDPOINT_URL(_[A-Z0-9_]+)?|CONFIG_FILE|SHARED_CREDENTIALS_FILE|ROLE_ARN|WEB_IDENTITY_TOKEN_FILE|CA_BUNDLE)$/;

/** The variables that are set of the AWS SDK, which reads them. Of secrets only the presence is shown. */
export function awsVariables(env: Environment) {
  const names = Object.keys(env).filter((name) => name.startsWith("AWS_"));
  return names.sort().flatMap((name) => {
    const text = settingText(name, env);
    if (text === undefined) return [];
    const shown = text.replace(/\/\/[^/@]*@/, "//(not shown)@");
    return [
      { name, value: harmless.test(name) ? shown : "(set, not shown)", origin: "environment" as const },
    ];
  });
}

function settingsText(
  settings: ReturnType<typeof effectiveSettings>,
  aws: ReturnType<typeof awsVariables>,
  store: FoundStore | undefined,
  { style }: Layout,
): string {
  const rows = settings.map(({ name, value, origin, usedBy, fault }) => {
    const [program] = usedBy;
    return [
      origin === "default" ? name : style.bold(name),
      fault === null ? printable(value ?? "").replaceAll("`", "") : style.bad("faulty, see below"),
      origin === "default" ? style.faint(origin) : origin,
      usedBy.length === 2 ? "both" : program === "partner-programs" ? "CLI" : "gateway",
    ];
  });
  const awsRows = aws.map(({ name, value, origin }) => [
    style.bold(name),
    printable(value),
    origin,
    "the AWS SDK",
  ]);
  const text = table(["SETTING", "VALUE", "ORIGIN", "USED BY"], [...rows, ...awsRows]);
  return store === undefined ? text : `${text}\n${storeText(store)}\n`;
}

function storeText({ address, storeId, unknown }: FoundStore): string {
  const place = `The store ${printable(address)}`;
  if (unknown !== null) return `${place} does not say which it is: ${printable(unknown)}`;
  if (storeId === null) return `${place} has no identity yet: the first build or token command gives it one.`;
  return `${place} is ${storeId}.`;
}
