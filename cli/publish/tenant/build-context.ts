import type { Current } from "../../../core/current.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { FindShared } from "../guards/shared-guard.ts";
import type { FollowLive } from "../live-copy/live-tree.ts";
import type { PointerVersion } from "../snapshot/live-snapshot.ts";
import type { WithTenantRows } from "../source/tenant-rows.ts";
import type { BuildOptions } from "./build-options.ts";
import type { Memory } from "./memory.ts";

/** What a build works with; time and randomness come from outside so that a build can be repeated exactly. */
export interface BuildContext {
  readonly withRows: WithTenantRows;
  readonly store: ObjectStore;
  /** Called before each tenant's first write; cheap after the first time. */
  readonly beforeFirstWrite: () => Promise<void>;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly onProgress: (programs: number) => void;
  /** Keeps the tenant's `live/` folder, where there may be one. */
  readonly followLive?: FollowLive | undefined;
  /** P144; `undefined`: other tenants are not looked at. */
  readonly findShared?: FindShared | undefined;
  readonly signal: AbortSignal;
}

/** One attempt to build a tenant. */
export interface Attempt {
  readonly tenantId: TenantId;
  readonly options: BuildOptions;
  readonly context: BuildContext;
  /** The pointer as it was read before the source; `undefined` when nothing was live. */
  readonly pointer: PointerVersion | undefined;
  readonly readAt: Date;
}

/** What partners of a tenant see. `manifest` is `undefined` when it cannot be trusted. */
export interface Live {
  readonly current: Current;
  readonly manifest: Manifest | undefined;
}

/** What the store has of the tenant beside its pointer. */
export interface Known {
  /** `undefined` when nothing is live, or when it cannot be trusted. */
  readonly live: Manifest | undefined;
  readonly memory: Memory | undefined;
}
