import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What V8's heap holds, in MB, after everything that can be collected was. */
export function heapMb(): number {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  collectGarbage();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}
