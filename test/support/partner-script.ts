import { runToEnd } from "./run-to-end.ts";

const interpreters = {
  JavaScript: [process.execPath, "--input-type=module", "--eval"],
  Python: ["python3", "-B", "-c"],
} as const;
export type PartnerLanguage = keyof typeof interpreters;

/**
 * Runs a partner's program, given as the text of a module, in a process of its own to its end. Resolves with its output;
 * rejects when it fails.
 */
export async function runPartnerScript(
  code: string,
  env: Readonly<Record<string, string>>,
  language: PartnerLanguage = "JavaScript",
): Promise<string> {
  const [interpreter, ...options] = interpreters[language];
  const { status, output } = await runToEnd(interpreter, [...options, code], env);
  if (status !== 0) throw new Error(`the partner's program ended with ${status}:\n${output}`);
  return output;
}
