import { printable } from "../../core/printable.ts";
import {
  type Environment,
  parseSetting,
  type Setting,
  type SettingOrigin,
  settingText,
} from "../../core/setting-parser.ts";
import { cliSettings, gatewaySettings } from "../../core/settings.ts";
import type { Layout } from "../output/layout.ts";
import { table } from "../output/table.ts";

/** The value of a setting that is in force, and where it comes from. Secrets are hidden. */
export interface EffectiveSetting {
  readonly name: string;
  readonly about: string;
  readonly usedBy: readonly ("partner-programs" | "partner-programs-gateway")[];
  /** `file`: the text was read from the file that `NAME_FILE` names. */
  readonly origin: SettingOrigin;
  /** As shown to people; `null` when the text is faulty. */
  readonly value: string | null;
  /** The fault of the text: a sentence that begins with the setting's name. */
  readonly fault: string | null;
}

/** The settings of both programs, in the order of their tables. Pure. */
export function effectiveSettings(env: Environment): readonly EffectiveSetting[] {
  const cli = Object.values(cliSettings);
  const gateway = Object.values(gatewaySettings);
  const names = new Map<string, Setting<unknown>>();
  for (const setting of [...cli, ...gateway]) names.set(setting.name, setting as Setting<unknown>);
  return [...names.values()].map((setting) => {
    const usedBy = [
      ...(cli.some(({ name }) => name === setting.name) ? (["partner-programs"] as const) : []),
      ...(gateway.some(({ name }) => name === setting.name) ? (["partner-programs-gateway"] as const) : []),
    ];
    return { name: setting.name, about: setting.about, usedBy, ...inForce(setting, env) };
  });
}

/** The variables of the AWS SDK that are set. The SDK reads them itself. For secrets, only their presence is shown. */
export function awsVariables(
  env: Environment,
): readonly { readonly name: string; readonly value: string; readonly origin: "environment" }[] {
  return Object.keys(env)
    .filter((name) => name.startsWith("AWS_") && settingText(name, env) !== undefined)
    .sort()
    .map((name) => ({ name, value: shownAws(name, settingText(name, env) ?? ""), origin: "environment" }));
}

function inForce(
  setting: Setting<unknown>,
  env: Environment,
): Pick<EffectiveSetting, "origin" | "value" | "fault"> {
  const parsed = parseSetting(setting, env);
  if ("fault" in parsed) return { origin: parsed.origin, value: null, fault: parsed.fault };
  return { origin: parsed.origin, value: setting.show(parsed.value), fault: null };
}

/** An allow-list, since any other variable that begins with AWS_ may be a secret. */
const harmless: ReadonlySet<string> = new Set([
  "AWS_REGION",
  "AWS_DEFAULT_REGION",
  "AWS_PROFILE",
  "AWS_ENDPOINT_URL",
  "AWS_CONFIG_FILE",
  "AWS_SHARED_CREDENTIALS_FILE",
  "AWS_ROLE_ARN",
  "AWS_ROLE_SESSION_NAME",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_SDK_LOAD_CONFIG",
  "AWS_CA_BUNDLE",
  "AWS_MAX_ATTEMPTS",
  "AWS_RETRY_MODE",
  "AWS_USE_FIPS_ENDPOINT",
  "AWS_USE_DUALSTACK_ENDPOINT",
  "AWS_EC2_METADATA_DISABLED",
]);

/** The address of one service, such as `AWS_ENDPOINT_URL_S3`. */
const serviceEndpoint = /^AWS_ENDPOINT_URL_[A-Z0-9_]+$/;

function shownAws(name: string, text: string): string {
  if (!harmless.has(name) && !serviceEndpoint.test(name)) return "(set, not shown)";
  return text.replace(/\/\/[^/@]*@/, "//(not shown)@");
}

/** The store that the settings lead to, and its identity. */
export interface FoundStore {
  readonly address: string;
  /** `null` when the store has no identity, or nobody could find out. */
  readonly storeId: string | null;
  /** Why nobody could find out. */
  readonly unknown: string | null;
}

export function settingsText(
  settings: readonly EffectiveSetting[],
  aws: readonly { readonly name: string; readonly value: string; readonly origin: string }[],
  store: FoundStore | undefined,
  { style }: Layout,
): string {
  const rows = settings.map(({ name, value, origin, usedBy, fault }) => [
    origin === "default" ? name : style.bold(name),
    fault === null ? printable(value ?? "").replaceAll("`", "") : style.bad("faulty, see below"),
    origin === "default" ? style.faint(origin) : origin,
    usedBy.length === 2 ? "both" : usedBy.includes("partner-programs") ? "CLI" : "gateway",
  ]);
  const awsRows = aws.map(({ name, value, origin }) => [
    style.bold(name),
    printable(value),
    origin,
    "the AWS SDK",
  ]);
  const settingsTable = table(["SETTING", "VALUE", "ORIGIN", "USED BY"], [...rows, ...awsRows]);
  return store === undefined ? settingsTable : `${settingsTable}\n${storeText(store)}\n`;
}

function storeText({ address, storeId, unknown }: FoundStore): string {
  const place = `The store ${printable(address)}`;
  if (unknown !== null) return `${place} does not say which it is: ${printable(unknown)}`;
  if (storeId === null) return `${place} has no identity yet: the first build or token command gives it one.`;
  return `${place} is ${storeId}.`;
}
