import { createFollowLive } from "../../cli/publish/snapshot/live-tree.ts";
import { publishedSnapshot, responsesOf } from "../../cli/publish/snapshot/stored-snapshot.ts";
import { parseTenantId } from "../../core/ground/ids.ts";
import { liveKey } from "../../core/ground/object-key.ts";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import { buildCanned, type CannedProgram } from "./canned-source.ts";
import { runCommand } from "./command-line.ts";
import { getText } from "./object-store-probes.ts";
import { quietShell } from "./quiet-shell.ts";
import { type S3Server, testBucket } from "./s3-server.ts";
import { toolsTenant } from "./store-tools.ts";

const never = new AbortController().signal;
const benchTenant = parseTenantId(toolsTenant);
export const livePath = `tenants/${toolsTenant}/live/`;

/** A store in which the tree for people is kept by the real code. */
export type LiveTreeBench = ReturnType<typeof benchOf>;

export interface BenchChoices {
  readonly isOn?: boolean;
  readonly mayExist?: boolean;
  readonly rewrite?: boolean;
  /** Stands before the store while the tree is written. */
  readonly through?: (store: ObjectStore) => ObjectStore;
}

export function fileBench(directory: string) {
  return benchOf(createFileStore({ directory }), { STORE_URL: `file:${directory}` });
}

export function s3Bench(server: S3Server) {
  return benchOf(server.openStore(), { ...server.env, STORE_URL: `s3://${testBucket}` });
}

/** The store, on which `before` hears of each call but listings first, and ends it by throwing. */
export function watchedStore(store: ObjectStore, before: () => void): ObjectStore {
  const after = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    before();
    return await call();
  };
  return {
    ...store,
    get: (...args) => after(() => store.get(...args)),
    put: (...args) => after(() => store.put(...args)),
    copy: (...args) => after(() => store.copy(...args)),
    delete: (...args) => after(() => store.delete(...args)),
  };
}

function benchOf(store: ObjectStore, env: Readonly<Record<string, string>>) {
  const bench = {
    store,
    /** Names in the tree, without `live/`, its marker included. */
    async names(): Promise<readonly string[]> {
      const names: string[] = [];
      for await (const { key } of store.list(livePath)) names.push(key.slice(livePath.length));
      return names;
    },
    /** Builds. Returns whether there may be a tree now, as the build remembers it, and what was said. */
    async build(
      programs: readonly CannedProgram[],
      { through = (given) => given, ...choices }: BenchChoices = {},
    ) {
      let mayHaveTree = true;
      const said: string[] = [];
      const { isOn = true, mayExist = true, rewrite = false } = choices;
      const follow = createFollowLive(quietShell(said), { liveCopy: isOn });
      await buildCanned(store, toolsTenant, programs, {
        rewrite,
        followLive: async (given, live, { known = [] } = {}) => {
          mayHaveTree = await follow(through(given), live, { known, rewrite, mayExist });
          return mayHaveTree;
        },
      });
      return { mayExist: mayHaveTree, warning: said.join("") };
    },
    /** A command of the CLI with the tree switched on. */
    run: (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      runCommand(args, { env: { LOG_LEVEL: "silent", LIVE_COPY: "on", ...env, ...more } }),
    text: async (name: string): Promise<string> => String(await getText(store, livePath + name)),
    /** What is wrong with the tree, held against the live snapshot by other means than the product's. */
    async faults(): Promise<readonly string[]> {
      const snapshot = await publishedSnapshot(store, benchTenant, never);
      if (snapshot === undefined) throw new Error("nothing is published");
      const expected = new Map(
        [...responsesOf(snapshot.manifest)].map(({ name, entry }) => {
          return [liveKey(benchTenant, name).slice(livePath.length), entry.key];
        }),
      );
      const present = new Set(await bench.names());
      const faults: string[] = [];
      const marker = present.delete("README.txt") ? await bench.text("README.txt") : "";
      const { snapshotId } = snapshot.manifest;
      if (!marker.includes(`\nstate: complete\n`) || !marker.includes(`\nsnapshot: ${snapshotId}\n`))
        faults.push("README.txt");
      for (const [name, source] of expected) {
        const isEqual = present.delete(name) && (await bench.text(name)) === (await getText(store, source));
        if (!isEqual) faults.push(name);
      }
      return [...faults, ...present];
    },
  };
  return bench;
}
