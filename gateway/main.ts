#!/usr/bin/env node
import { asFailure, Failure } from "../core/ground/failure.ts";
import { singleLine } from "../core/ground/printable.ts";
import { createLogger } from "../core/process/logger.ts";
import { misspeltSettings, misspeltText } from "../core/process/misspelt-settings.ts";
import { openStore } from "../core/process/open-store.ts";
import { buildInfo, packageVersion } from "../core/process/package-version.ts";
import { parseSettings } from "../core/process/setting-parser.ts";
import { type GatewaySettings, gatewaySettings } from "../core/process/settings.ts";
import { showStoreAddress } from "../core/process/store-address.ts";
import { helpText, requestedAction, settingLines, wrongUsage } from "./arguments.ts";
import { LogDestination } from "./beside/log-destination.ts";
import { Gateway } from "./gateway.ts";
import { lastGoodFolder } from "./known/mirror-folder.ts";
import type { StoreClients } from "./store-knowledge.ts";

const program = "partner-programs-gateway";

// The SDK warns about Node.js 20 on standard error. The supported versions stand in package.json.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";

const action = requestedAction(process.argv.slice(2));
switch (action) {
  case "help":
    console.log(helpText(gatewaySettings));
    break;
  case "version":
    console.log(packageVersion());
    break;
  case "version_json":
    console.log(JSON.stringify(buildInfo()));
    break;
  case undefined:
    refuse(wrongUsage);
    break;
  default: {
    const misspelt = action === "check_config" ? misspeltSettings(process.env) : [];
    for (const each of misspelt) console.error(singleLine(misspeltText(each)));
    const parsed = parseSettings(gatewaySettings, process.env);
    if (parsed.ok) await run(parsed.values);
    else refuse(...parsed.faults.map((fault) => `${singleLine(fault)}.`));
  }
}

function refuse(...faults: readonly string[]): void {
  for (const fault of faults) console.error(`${program}: ${fault}`);
  process.exitCode = 2;
}

async function run(settings: GatewaySettings): Promise<void> {
  const folder = await keptFolder(settings).catch(asFailure);
  // W88: a folder that hangs is a fault of the moment, and the gateway serves without the copy.
  const isRefused = folder instanceof Failure && (action !== "serve" || folder.code !== "store_unavailable");
  if (isRefused) return refuse(folder.message);
  if (action === "serve") return await serve(settings, folder);
  for (const line of settingLines(gatewaySettings, settings)) console.log(singleLine(line));
}

/** This store's folder in `LAST_GOOD_DIR`. Rejects with `settings` when nothing can be written there. */
async function keptFolder({ lastGoodDir, storeUrl }: GatewaySettings): Promise<string | undefined> {
  if (lastGoodDir === undefined) return undefined;
  // Two servers may have buckets of the same name, and a profile may name the server.
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_PROFILE, AWS_CONFIG_FILE } = process.env;
  const server = [AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL, AWS_PROFILE, AWS_CONFIG_FILE];
  const store = [showStoreAddress(storeUrl), ...server].filter((part) => part !== undefined).join(" ");
  // W87: the copy is for the gateway's user alone. The gateway writes no other files.
  process.umask(0o077);
  return await lastGoodFolder(lastGoodDir, store);
}

async function serve(settings: GatewaySettings, keptIn: string | Failure | undefined): Promise<void> {
  let onLost: (lines: number) => void = () => {};
  const destination = new LogDestination({
    fd: process.stdout.fd,
    maxPendingBytes: 16 * 1024 * 1024,
    onLost: (lines) => onLost(lines),
  });
  const logger = createLogger({ level: settings.logLevel, program, destination });
  const exit = (status: number): never => {
    destination.flushSync(1000);
    process.exit(status);
  };
  const crash = (error: unknown): never => {
    const cause = error instanceof Error ? error.stack : String(error);
    logger.fatal({ cause }, "the gateway failed");
    return exit(1);
  };
  process.on("uncaughtException", crash).on("unhandledRejection", crash);
  let isStopping = false;
  if (keptIn instanceof Failure) logger.warn({ cause: keptIn.message }, "no last good copy is kept");

  try {
    const gateway = new Gateway({
      settings,
      ...(await openClients(settings)),
      program,
      logger,
      destination,
      lastGoodFolder: keptIn instanceof Failure ? undefined : keptIn,
    });
    onLost = (lines) => gateway.logLinesLost(lines);
    const stop = (): void => {
      // A second signal means that nobody wants to wait.
      if (isStopping) exit(1);
      isStopping = true;
      gateway
        .stop()
        .then(() => destination.flush(1000))
        .then(() => exit(0), crash);
    };
    process.on("SIGTERM", stop).on("SIGINT", stop);

    const { api, admin } = await gateway.start();
    // This line is written at every log level, since scripts read the addresses from it.
    createLogger({ level: "info", program, destination }).info(
      { api, admin, ...buildInfo(), storeId: gateway.storeId(), notReady: gateway.notReadyCause() },
      `listening on ${api}${admin === undefined ? "" : `, admin on ${admin}`}`,
    );
  } catch (error) {
    // The gateway was stopped before it listened, and `stop` ends the process.
    if (isStopping) return;
    const failure = asFailure(error);
    if (failure.code === "internal") crash(error);
    console.error(`${program}: ${failure.message}`);
    exit(1);
  }
}

async function openClients(settings: GatewaySettings): Promise<StoreClients> {
  const { storeUrl: address, s3ForcePathStyle: forcePathStyle, storeTimeoutMs: timeoutMs } = settings;
  const store = { address, forcePathStyle, timeoutMs };
  return {
    store: await openStore(store),
    documentStore: await openStore(store),
    tokenStore: await openStore(store),
  };
}
