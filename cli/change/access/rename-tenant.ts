import { tokenStatus } from "../../../core/documents/token-registry.ts";
import { Failure, unlessFailed } from "../../../core/ground/failure.ts";
import type { TenantId, TokenId } from "../../../core/ground/ids.ts";
import { counted } from "../../output/words.ts";
import { knownSandbox } from "../../publish/snapshot/sandbox-tenant.ts";
import { readLiveManifest, readPointer } from "../../publish/snapshot/stored-snapshot.ts";
import { tenantHint } from "../../publish/snapshot/stored-tenants.ts";
import { assertNotRemoved } from "../../read/administration/known-tenant.ts";
import { programLoss } from "../../read/snapshots/program-loss.ts";
import { editRegistry } from "./edit-registry.ts";
import type { TenantChange } from "./remove-tenant.ts";

export interface TenantRename {
  readonly movedTokens: readonly TokenId[];
  /** How many of them are neither revoked nor expired. */
  readonly activeTokens: number;
}

/**
 * Moves all tokens of one tenant to another by one compare-and-swap, so that each answer is the one tenant's
 * or the other's (P94). The other must have a snapshot that gateways serve. Throws `not_found`,
 * `corrupt_document`, `usage` for a sandbox, and `shrink_guard`.
 */
export async function renameTenant(
  from: TenantId,
  to: TenantId,
  allowShrink: boolean,
  { store, audit, now, signal }: TenantChange,
): Promise<TenantRename> {
  const sandbox = await knownSandbox(store, signal);
  // The sandbox's programs are made up and all who test have its tokens: none moves to or from it (P94).
  if (sandbox === from || sandbox === to) {
    throw new Failure(
      "usage",
      `Tenant ${sandbox} is the sandbox: its tokens never read another tenant's programs, nor do another's read its. Nothing was done.`,
    );
  }
  const pointer = await readPointer(store, to, signal);
  if (pointer === undefined) {
    throw new Failure(
      "not_found",
      `Tenant ${to} has no published snapshot, so the tokens of ${from} stay where they are: their partners would get errors. ` +
        `List ${to} in the source and run \`snapshot build --tenant ${to}\` first.${await tenantHint(store, to, signal)}`,
    );
  }
  // This throws for a manifest that a gateway would refuse: partners must not be moved to errors.
  const manifest = await readLiveManifest(store, pointer.current, signal);

  /**
   * Throws `shrink_guard` when the other tenant's snapshot lacks so many of the programs that the tenant's
   * partners see that it is probably another company's (P94). This catches a mistyped id.
   */
  async function assertAlike(): Promise<void> {
    // Partners may see errors only, so that nothing can be compared.
    const seenNow = readPointer(store, from, signal).then(
      (current) => current && readLiveManifest(store, current.current, signal),
    );
    const live = await unlessFailed(seenNow, "corrupt_document");
    const found = live?.programs.count === 0 ? undefined : programLoss(live, manifest);
    if (found === undefined) return;
    const { visible, lost } = found;
    const loss =
      visible === undefined ? "" : `; partners of ${from} see ${visible} now, ${lost} of which it lacks`;
    throw new Failure(
      "shrink_guard",
      `Tenant ${to} has ${counted(manifest.programs.count, "program")}${loss}. No token was moved. ` +
        "If it is the same company, and this is what its partners are to see, pass --allow-shrink.",
    );
  }

  let renamed: TenantRename = { movedTokens: [], activeTokens: 0 };
  await editRegistry(store, audit, async (tokens) => {
    await assertNotRemoved(store, to, signal);
    const moved = tokens.filter(({ tenantId }) => tenantId === from);
    const activeTokens = moved.filter((token) => tokenStatus(token, now()) === "active").length;
    renamed = { movedTokens: moved.map(({ tokenId }) => tokenId), activeTokens };
    if (moved.length === 0) return tokens;
    if (activeTokens > 0 && !allowShrink) await assertAlike();
    return tokens.map((token) => (token.tenantId === from ? { ...token, tenantId: to } : token));
  });
  return renamed;
}
