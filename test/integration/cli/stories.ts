import type { Step } from "../../support/transcript.ts";

/** Commands in the order in which somebody types them; each story is a file of `transcripts/`. */
export interface Story {
  readonly name: string;
  readonly steps: readonly Step[];
}

/**
 * Every story begins with an empty store and the tenants acme (a, b: active, c: draft) and beta (a: active). To add one,
 * write it here and run the tests with `TEST_UPDATE=1`.
 */
export const stories: readonly Story[] = [
  {
    name: "build",
    steps: [
      run("snapshot", "build", "--dry-run"),
      run("snapshot", "build"),
      run("snapshot", "build"),
      change(
        "the capacity of one program changes, another one loses its price to a typing error",
        `UPDATE partner_source.programs SET capacity_total = 25 WHERE tenant_id = 'acme' AND program_id = 'a';
         INSERT INTO partner_source.room_prices VALUES ('acme', 'b', 2, -99.50), ('acme', 'ghost', 2, 10)`,
      ),
      run("snapshot", "build"),
      run("snapshot", "build", "--tenant", "beta"),
      change("a tenant leaves the source", "DELETE FROM partner_source.tenants WHERE tenant_id = 'beta'"),
      run("snapshot", "build"),
    ],
  },
  {
    name: "build-refused",
    steps: [
      run("snapshot", "build"),
      change(
        "a program without a name appears",
        `INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, capacity_total)
         VALUES ('acme', 'nameless', ' ', 'active', 5), ('acme', 'odd', 'Odd', 'paused', 5)`,
      ),
      run("snapshot", "build"),
      run("snapshot", "build", "--on-invalid", "skip"),
      change(
        "one of acme's programs is cancelled",
        "UPDATE partner_source.programs SET lifecycle_state = 'cancelled' WHERE tenant_id = 'acme' AND program_id = 'a'",
      ),
      run("snapshot", "build", "--on-invalid", "fail"),
      change(
        "all programs of beta are cancelled, and those of acme are gone",
        `UPDATE partner_source.programs SET lifecycle_state = 'cancelled' WHERE tenant_id = 'beta';
         DELETE FROM partner_source.programs WHERE tenant_id = 'acme'`,
      ),
      run("snapshot", "build"),
      run("snapshot", "build", "--allow-shrink"),
      run("snapshot", "build", "--tenant", "nobody"),
    ],
  },
  {
    name: "build-json",
    steps: [run("snapshot", "build", "--tenant", "beta", "--json")],
  },
  {
    name: "looking-into-a-tenant",
    steps: [
      run("snapshot", "status"),
      run("snapshot", "build"),
      change(
        "a name changes",
        "UPDATE partner_source.programs SET name = 'Renamed' WHERE tenant_id = 'acme' AND program_id = 'a'",
      ),
      run("snapshot", "build"),
      run("snapshot", "status"),
      run("snapshot", "list", "--tenant", "acme"),
      run("snapshot", "show", "--tenant", "acme"),
      run("snapshot", "show", "--tenant", "acme", "--program", "a"),
      run("snapshot", "show", "--tenant", "acme", "--legacy", "--raw"),
      run("snapshot", "diff", "--tenant", "acme"),
      run("snapshot", "explain", "--tenant", "acme", "--program", "a"),
      run("snapshot", "explain", "--tenant", "acme", "--program", "c"),
      run("snapshot", "explain", "--tenant", "acme", "--program", "nowhere"),
      run("snapshot", "verify"),
    ],
  },
  {
    name: "rollback",
    steps: [
      run("snapshot", "build"),
      change("every name changes for the worse", "UPDATE partner_source.programs SET name = 'TODO'"),
      run("snapshot", "build"),
      run("snapshot", "rollback", "--tenant", "acme"),
      run("snapshot", "build"),
      run("snapshot", "build", "--tenant", "acme"),
      run("snapshot", "status"),
      change(
        "the names are mended",
        "UPDATE partner_source.programs SET name = 'Tour ' || program_id || ' again'",
      ),
      run("snapshot", "release", "--tenant", "acme"),
      run("snapshot", "build"),
      run("snapshot", "prune", "--keep", "1", "--dry-run"),
    ],
  },
  {
    name: "tokens",
    steps: [
      run("token", "list"),
      run("token", "create", "--tenant", "acme"),
      run("snapshot", "build"),
      run("token", "create", "--tenant", "acme", "--name", "Globetrotter GmbH"),
      run("token", "create", "--tenant", "beta", "--json", "--expires", "2027-06-30", "--rate-limit", "60"),
      run("token", "list"),
      run("token", "rotate", "<token-id-1>"),
      run("token", "rotate", "<token-id-1>"),
      run("token", "revoke", "<token-id-2>", "<token-id-3>"),
      run("token", "list", "--tenant", "acme"),
      run("token", "list", "--json"),
      run("token", "create", "--tenant", "acme", "--expires", "90d"),
      run("token", "expire", "<token-id-4>", "--at", "14d"),
      run("token", "expire", "<token-id-4>", "--at", "2027-01-31T00:00:00Z", "--json"),
      run("token", "revoke", "--tenant", "acme"),
      run("token", "revoke", "--tenant", "acme"),
      run("token", "revoke", "--tenant", "acne"),
    ],
  },
  {
    name: "wrong-usage",
    steps: [
      run(),
      run("frobnicate"),
      run("certify", "--token-id", "tok_0123456789ABCdef", "--log", "-"),
      run("completion", "bash"),
      run("snapshot"),
      run("snapshot", "biuld"),
      run("list"),
      run("snapshot", "status", "acme"),
      run("snapshot", "build", "--frobnicate"),
      run("snapshot", "build", "--tenant", "../etc"),
      run("snapshot", "build", "--concurrency", "many"),
      run("snapshot", "build", "--on-invalid", "ignore"),
      run("token", "create"),
      run("token", "create", "--tenant", "acme", "--expires", "tomorrow"),
      run("token", "revoke", "tok_nonsense"),
      {
        command: ["snapshot", "build"],
        options: {
          env: { DATABASE_URL: "mysql://db/booking", STORE_URL: "bucket", LEGACY_CAPACITY: "half" },
        },
      },
    ],
  },
];

function run(...command: readonly string[]): Step {
  return { command };
}

function change(remark: string, sql: string): Step {
  return { remark, sql };
}
