import { randomBytes } from "node:crypto";
import { type Manifest, manifestText } from "../../core/documents/manifest.ts";
import { tokenRegistryBytes } from "../../core/documents/token-registry.ts";
import { snapshotId } from "../../core/ground/ids.ts";
import { manifestKey, tokensKey } from "../../core/ground/object-key.ts";
import { bytesBody, sha256Hex } from "../../core/store/object-body.ts";
import { publishPointer } from "../../test/support/gateway-snapshots.ts";
import { issueToken } from "../../test/support/gateway-tokens.ts";
import type { World } from "./neighbours-world.ts";

type Begin = (url: string) => () => Promise<string>;

const changes = 10;

/**
 * A tenant of 100,000 programs that publishes each second. All is made before, so that only the gateway
 * works.
 */
export async function changingManifest({ store, hog, publish }: World): Promise<Begin> {
  const { manifest } = await publish({ programs: 1 });
  for (let at = 2; at <= 100_000; at += 1) {
    const folder = manifest.snapshotId;
    manifest.programs.add(`program-${at}` as never, {
      snapshotId: folder,
      sha256: sha256Hex(Buffer.from([at])),
      size: 1000,
    });
  }
  const made = Array.from({ length: changes }, (_, at) => {
    const next: Manifest = {
      ...manifest,
      generation: at + 2,
      snapshotId: snapshotId(new Date(), randomBytes(4)),
    };
    const bytes = Buffer.from([...manifestText(next)].join(""));
    return { next, body: bytesBody(bytes) };
  });
  return (url) => {
    const asking = setInterval(() => {
      const headers = { authorization: `Bearer ${hog.plaintext}` };
      void fetch(`${url}/v1/programs/none`, { headers }).then((answer) => answer.arrayBuffer());
    }, 200);
    const stop = inTurn(1000, made, async ({ next, body }) => {
      const { tenantId, generation, snapshotId: id } = next;
      await store.put(manifestKey(tenantId, id), body);
      await publishPointer(store, { tenantId, generation, snapshotId: id, manifestSha256: body.sha256 });
    });
    return async () => {
      clearInterval(asking);
      return await stop();
    };
  };
}

/** A registry of 10,000 tokens, in which another token appears each half second. */
export async function changingRegistry({ store, hog, calm }: World): Promise<Begin> {
  const others = Array.from({ length: 10_000 }, () => issueToken("other").entry);
  const made = Array.from({ length: changes * 2 }, (_, at) =>
    bytesBody(tokenRegistryBytes({ revision: at + 2, tokens: [hog.entry, calm.entry, ...others.slice(at)] })),
  );
  return () =>
    inTurn(500, made, async (body) => {
      await store.put(tokensKey, body);
    });
}

function inTurn<Item>(everyMs: number, items: readonly Item[], publish: (item: Item) => Promise<void>) {
  const queue = items[Symbol.iterator]();
  let published = 0;
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    const next = queue.next();
    if (next.done === true) return;
    published += 1;
    last = last.then(() => publish(next.value));
  }, everyMs);
  return async (): Promise<string> => {
    clearInterval(timer);
    await last;
    return `${published} changes`;
  };
}
