import type { S3Client } from "@aws-sdk/client-s3";
import { BadAnswer } from "./answer.ts";
import { kindOf } from "./s3-error.ts";
import type { SigningCredentials } from "./signature.ts";

/** The credentials that sign requests. */
export interface Keys {
  /** The keys in use. The SDK renews those that expire. */
  current(): Promise<SigningCredentials>;
  /** Called when the store has accepted the keys in use. */
  accepted(): void;
  /**
   * P188: whether there are other keys than `used`, which the store has refused with this error. People and agents replace keys in
   * the shared credentials file, where they have no expiry. The SDK reads them once, so they are resolved again here, past every
   * cache, at most every 5 s. A denial makes that necessary only after a request has worked: before, a permission is missing.
   */
  haveChanged(used: SigningCredentials, error: unknown): Promise<boolean>;
}

const minPauseMs = 5000;

export function createKeys(client: S3Client): Keys {
  let haveWorked = false;
  let resolvedAtMs = -Infinity;
  let resolving: Promise<unknown> | undefined;

  /** Concurrent requests share one resolution. Keys that cannot be resolved now leave those in use. */
  async function resolveAgain(): Promise<void> {
    if (resolving === undefined && performance.now() - resolvedAtMs >= minPauseMs) {
      resolvedAtMs = performance.now();
      resolving = client.config
        .credentials({ forceRefresh: true })
        .catch(() => {})
        .finally(() => {
          resolving = undefined;
        });
    }
    await resolving;
  }

  return {
    current: () => client.config.credentials(),
    accepted() {
      haveWorked = true;
    },
    async haveChanged(used, error) {
      if (!(error instanceof BadAnswer)) return false;
      const kind = kindOf(error);
      if (kind !== "credentials" && !(kind === "denied" && haveWorked)) return false;
      // Another request may have found the new keys since this one was signed.
      if (!isSame(used, await client.config.credentials())) return true;
      await resolveAgain();
      return !isSame(used, await client.config.credentials());
    },
  };
}

function isSame(one: SigningCredentials, other: SigningCredentials): boolean {
  return (
    one.accessKeyId === other.accessKeyId &&
    one.secretAccessKey === other.secretAccessKey &&
    one.sessionToken === other.sessionToken
  );
}
