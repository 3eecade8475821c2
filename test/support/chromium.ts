import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Debian's browsers. The one without windows shows pages alike, in half of the processor time. */
const debians = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/**
 * A browser of Debian's, or the one that `TEST_CHROMIUM` names. Tests that need one are skipped where there
 * is none.
 */
const executable = process.env.TEST_CHROMIUM ?? debians.find(existsSync) ?? "";

export const hasChromium = existsSync(executable);

/** A browser that talks to nobody but the pages that it is shown. */
export async function launchChromium(): Promise<Browser> {
  return await chromium.launch({
    executablePath: executable,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
