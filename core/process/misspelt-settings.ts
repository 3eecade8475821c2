import { type Environment, settingText } from "./setting-parser.ts";
import { cliSettings, gatewaySettings } from "./settings.ts";

/** A variable that is no setting and probably was meant to be the setting `nearest`. */
export interface MisspeltSetting {
  readonly name: string;
  readonly nearest: string;
}

/**
 * D132: the variables whose names have at most two slips against a setting's, or are one cut short at an
 * underscore (`RATE_LIMIT`). The environment is full of other programs' names, so short ones and single words
 * are passed over.
 */
export function misspeltSettings(env: Environment): readonly MisspeltSetting[] {
  const settings = [...Object.values(cliSettings), ...Object.values(gatewaySettings)];
  const names = new Set(settings.map(({ name }) => name));
  return Object.keys(env).flatMap((name) => {
    const text = settingText(name, env);
    const isForeign = text === undefined || name.length < minLength || ofKubernetes.test(text);
    if (isForeign || names.has(name) || retired.includes(name)) return [];
    const near = (slips: number) =>
      [...names].find((known) => known.length >= minLength && isWithin(slips, name.toUpperCase(), known));
    const whole = [...names].find((known) => name.includes("_") && known.startsWith(`${name}_`));
    const nearest = near(0) ?? near(1) ?? near(2) ?? whole;
    return nearest === undefined ? [] : [{ name, nearest }];
  });
}

export function misspeltText({ name, nearest }: MisspeltSetting): string {
  return `Hint: ${name} is set and is no setting. Did you mean ${nearest}?`;
}

const minLength = 7;
/** Kubernetes sets `NAME_PORT` for each service to an address of this form. */
const ofKubernetes = /^(tcp|udp|sctp):/;
/** Settings of earlier versions may still be set. The others of them are like no setting of today. */
const retired = ["WATCH_ADMIN_HOST"];

/** Whether `slips` or fewer lead from one text to the other: a character more, less, wrong or swapped. */
export function isWithin(slips: number, from: string, to: string): boolean {
  let same = 0;
  while (same < from.length && from[same] === to[same]) same += 1;
  const [a, b] = [from.slice(same), to.slice(same)];
  if (a === b || slips === 0) return a === b;
  const isExchange = a[0] === b[1] && a[1] === b[0] && a.length > 1;
  const ways = [
    [a.slice(1), b.slice(1)],
    [a.slice(1), b],
    [a, b.slice(1)],
    ...(isExchange ? [[a.slice(2), b.slice(2)]] : []),
  ] as const;
  return ways.some(([rest = "", other = ""]) => isWithin(slips - 1, rest, other));
}
