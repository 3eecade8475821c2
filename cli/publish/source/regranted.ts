import type { CatalogRelation, Grant } from "./read-structure.ts";

/**
 * P105: the statements that give the new view `target` the rights of the one before it, and no others: not those that the
 * database grants by default either. What stands in front of a table may only be read.
 */
export function regranted(target: string, relation: CatalogRelation): readonly string[] {
  const { grants, grantedByDefault, definition, owner } = relation;
  const isView = definition !== null;
  const wanted = (grants ?? []).filter(({ privilege }) => isView || privilege === "SELECT");
  const ofOwner = wanted.filter(({ grantee, column }) => grantee === owner && column === null);
  const isOwnerLimited =
    isView &&
    wanted.some(({ column }) => column === null) &&
    ownerRights.some((right) => !has(ofOwner, right));
  const revoked = [...grantedByDefault, ...(isOwnerLimited ? [owner] : [])];
  const granted = wanted.filter(({ grantee }) => grantee !== owner || isOwnerLimited);
  return [
    ...(revoked.length === 0 ? [] : [`REVOKE ALL ON ${target} FROM ${revoked.join(", ")};`]),
    ...grouped(granted).map(
      ([{ grantee, column, isGrantable }, rights]) =>
        `GRANT ${rights.map((right) => (column === null ? right : `${right} (${column})`)).join(", ")} ON ${target} TO ${grantee}${isGrantable ? " WITH GRANT OPTION" : ""};`,
    ),
  ];
}

/** Those that every version gives the owner of a relation. */
const ownerRights = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"];

function has(grants: readonly Grant[], right: string): boolean {
  return grants.some(({ privilege }) => privilege === right);
}

/** One statement for all rights of a role. */
function grouped(grants: readonly Grant[]): readonly (readonly [Grant, readonly string[]])[] {
  const groups = new Map<string, [Grant, string[]]>();
  for (const grant of grants) {
    const key = JSON.stringify([grant.grantee, grant.column, grant.isGrantable]);
    const group = groups.get(key) ?? [grant, []];
    groups.set(key, group);
    group[1].push(grant.privilege);
  }
  return [...groups.values()];
}
