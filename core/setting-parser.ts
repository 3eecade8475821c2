/** The process environment, or a part of it, as plain data, so that parsing stays pure. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting: its public name, what it is for, and how its text becomes a trusted value. */
export interface Setting<Value> {
  readonly name: string;
  readonly about: string;
  /** The default as shown to people. It is never parsed. */
  readonly fallbackText: string;
  /** Called when the variable is unset or empty. The value may depend on other variables (`DATA_DIR`). */
  readonly fallback: (env: Environment) => Value;
  /**
   * Throws a `SettingFault` that says what was expected and never repeats a secret. `env` shows whether another variable
   * contradicts this one.
   */
  readonly parse: (text: string, env: Environment) => Value;
  /** The effective value as `config` shows it, with secrets hidden. */
  readonly show: (value: Value) => string;
  /** Reads the text from the file that `NAME_FILE` names, if there is one. Used when the variable itself is unset. */
  readonly textInFile?: (env: Environment) => string | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: the table holds settings of all value types; `any` keeps the type of each
export type SettingTable = Readonly<Record<string, Setting<any>>>;

export type SettingValues<Table extends SettingTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer Value> ? Value : never;
};

/** What is wrong with one setting's text, as the end of a sentence that begins with the setting's name. */
export class SettingFault extends Error {}

export type ParsedSettings<Table extends SettingTable> =
  | { readonly ok: true; readonly values: SettingValues<Table> }
  /** Every fault at once, each a sentence that begins with the setting's name. */
  | { readonly ok: false; readonly faults: readonly string[] };

/** Turns untrusted text into trusted values, once, at the edge. */
export function parseSettings<const Table extends SettingTable>(
  table: Table,
  env: Environment,
): ParsedSettings<Table> {
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [key, setting] of Object.entries(table)) {
    const parsed = parseSetting(setting, env);
    if ("fault" in parsed) faults.push(parsed.fault);
    else values[key] = parsed.value;
  }
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, values: values as SettingValues<Table> };
}

/** Where a setting's text is. */
export type SettingOrigin = "environment" | "file" | "default";

export type ParsedSetting<Value> = { readonly origin: SettingOrigin } & (
  | { readonly value: Value }
  /** A sentence that begins with the setting's name. */
  | { readonly fault: string }
);

export function parseSetting<Value>(setting: Setting<Value>, env: Environment): ParsedSetting<Value> {
  const stated = settingText(setting.name, env);
  const text = stated ?? setting.textInFile?.(env);
  const origin = text === undefined ? "default" : stated === undefined ? "file" : "environment";
  try {
    return { origin, value: text === undefined ? setting.fallback(env) : setting.parse(text, env) };
  } catch (error) {
    if (!(error instanceof SettingFault)) throw error;
    return { origin, fault: `${setting.name} ${error.message}` };
  }
}

/** The variable's text without surrounding white space; `undefined` when unset or blank. */
export function settingText(name: string, env: Environment): string | undefined {
  const text = env[name]?.trim();
  return text === "" ? undefined : text;
}
