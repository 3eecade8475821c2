import type { CatalogRelation, Grant } from "./read-structure.ts";

/**
 * The statements that give the new view `target` the rights of the relation that it replaces (P105). All other rights are
 * revoked, also those that the database grants by default. In front of a table, only the right to read is granted.
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

/** The rights that every version of PostgreSQL gives the owner of a relation. */
const ownerRights = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"];

function has(grants: readonly Grant[], right: string): boolean {
  return grants.some(({ privilege }) => privilege === right);
}

/** Grants of one role on the same columns in groups, so that one statement grants them all. */
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
