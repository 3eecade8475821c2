import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import { createS3Store } from "../../core/store/s3-store/s3-store.ts";
import { type PublishedSnapshot, publishSnapshot } from "../../test/support/gateway-snapshots.ts";
import {
  createTokenFile,
  type IssuedToken,
  issueToken,
  type TokenFile,
} from "../../test/support/gateway-tokens.ts";
import { testBucket } from "../../test/support/s3-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A store with an attacker, a neighbour, and a token for each. */
export interface World {
  readonly env: Readonly<Record<string, string>>;
  readonly store: ObjectStore;
  readonly tokenFile: TokenFile;
  readonly hog: IssuedToken;
  readonly calm: IssuedToken;
  /** Publishes for the attacker. */
  readonly publish: (content: WorldContent) => Promise<PublishedSnapshot>;
  readonly calmIds: readonly string[];
  close(): Promise<void>;
}

export interface WorldContent {
  readonly programs: number;
  /** Of each detail, or of the list if `listBytes` is given. */
  readonly detailBytes?: number;
  readonly listBytes?: number;
}

const neighbourPrograms = 3000;

export async function folderWorld(): Promise<World> {
  const directory = join(temporaryFolder("neighbours"), "store");
  return await world(createFileStore({ directory }), { STORE_URL: `file:${directory}` });
}

/** The store speaks S3; `hang` stops its answers half-way for keys that begin so. */
export interface S3World extends World {
  hang(keyStart: string): void;
}

export async function s3World(): Promise<S3World> {
  const server = new Worker(new URL("./neighbours-store.js", import.meta.url));
  const [{ env, connection }] = await once(server, "message");
  const store = createS3Store({
    bucket: testBucket,
    prefix: "",
    forcePathStyle: true,
    timeoutMs: 60_000,
    connection,
  });
  const own = { ...env, STORE_URL: `s3://${testBucket}`, S3_FORCE_PATH_STYLE: "true" };
  return {
    ...(await world(store, own)),
    hang: (keyStart) => server.postMessage(keyStart),
    async close() {
      await store.close();
      await server.terminate();
    },
  };
}

async function world(store: ObjectStore, env: Readonly<Record<string, string>>): Promise<World> {
  const tokenFile = createTokenFile(store);
  const hog = issueToken("hog");
  const calm = issueToken("calm", { rateLimit: 1_000_000 });
  await tokenFile.write([hog, calm]);
  const calmIds = idsOf(neighbourPrograms);
  await publishSnapshot(store, "calm", { programIds: calmIds, minBytes: 2000 });
  return {
    env,
    store,
    tokenFile,
    hog,
    calm,
    calmIds,
    close: () => store.close(),
    publish: ({ programs, detailBytes = 1000, listBytes = 0 }) =>
      publishSnapshot(store, "hog", {
        programIds: idsOf(programs),
        fields: (id) => ({
          list: listBytes === 0 ? {} : { remarks: wordsOf(id, listBytes / programs) },
          detail: { description: wordsOf(id, detailBytes) },
        }),
      }),
  };
}

export function idsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `p${at + 1}`);
}

/** Text that compresses as descriptions do, to about a quarter, and differs from seed to seed. */
function wordsOf(seed: string, bytes: number): string {
  const block = words();
  const text = `${seed} ${block.repeat(Math.ceil(bytes / block.length))}`;
  return text.slice(0, bytes);
}

let made: string | undefined;

/** Far more than gzip looks back, so that repetitions of it are not noticed. */
function words(): string {
  if (made !== undefined) return made;
  let state = 7;
  let text = "";
  while (text.length < 256 * 1024) {
    state = (state * 48271) % 2147483647;
    text += `${(state % 5000).toString(36)}tour${state % 7} `;
  }
  made = text;
  return text;
}
