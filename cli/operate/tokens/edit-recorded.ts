import type { ObjectStore } from "../../../core/object-store.ts";
import type { RegisteredToken } from "../../../core/token-registry.ts";
import type { Audit } from "../audit/audit.ts";
import { tokenChanges } from "../audit/changes.ts";
import { type EditTokens, editRegistry } from "./edit-registry.ts";

/** As `editRegistry`; what is about to change and what did goes to the audit of the store. */
export async function editRecorded(
  store: ObjectStore,
  audit: Pick<Audit, "plan" | "note" | "doubt">,
  edit: EditTokens,
): Promise<void> {
  let [before, after]: readonly (readonly RegisteredToken[])[] = [[], []];
  const recorded: EditTokens = async (tokens) => {
    const edited = await edit(tokens);
    [before, after] = [tokens, edited];
    audit.plan(tokenChanges(tokens, edited));
    return edited;
  };
  await editRegistry(store, recorded, audit.doubt);
  audit.note(tokenChanges(before ?? [], after ?? []));
}
