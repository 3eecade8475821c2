import { Failure } from "../../core/failure.ts";
import { parseSettings } from "../../core/setting-parser.ts";
import { cliSettings } from "../../core/settings.ts";
import { demonstrate } from "../demo/demonstrate.ts";
import { command, flag } from "./command.ts";

/** `demo`: shows everything once, from a database to partners' answers, on sample data below `DATA_DIR`. */
export const demo = command(
  { check: flag("end after the requests; exit status 0 if every answer was as expected") },
  async (shell, { check }) => {
    // Only `DATA_DIR` is read. The other settings name real databases and stores, which the demo must not touch (P120).
    const parsed = parseSettings({ dataDir: cliSettings.dataDir }, shell.env);
    if (!parsed.ok) throw new Failure("settings", parsed.faults);
    return (await demonstrate({ dataDir: parsed.values.dataDir, isCheck: check }, shell)) ? 0 : 1;
  },
);
