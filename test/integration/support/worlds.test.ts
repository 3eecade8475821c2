import { join } from "node:path";
import { expect, test } from "vitest";
import { folderForAllTests, forAllTests } from "../../support/lasting.ts";
import { openSupportDesk } from "../../support/support-desk.ts";
import { expectTheLawOf, type Status } from "../../support/world-checks.ts";
import { beginWorld, causeNamed, causes, day } from "../../support/worlds.ts";

const desk = forAllTests(openSupportDesk);
const logFile = join(folderForAllTests(), "gateway.log");

test.each(causes.map((cause) => [cause.name, cause] as const))(
  "P47, P53, P240: what is said of %s is what was planted, and following it helps",
  async (_, cause) => await expectTheLawOf([cause], { desk, logFile }),
);

test.each([
  ["30d", /--at 30d$/],
  ["36h", /^$/],
])(
  "P208 with TOKEN_MAX_LIFETIME=%s a later end is advised only where it is taken",
  async (lifetime, advice) => {
    await causeNamed("a key that ends soon").plant(await beginWorld(desk));
    const options = { now: day(12), env: { TOKEN_MAX_LIFETIME: lifetime } };
    const { tenants } = (await desk.json(["snapshot", "status"], options)) as Status;
    const commands = tenants[0]?.concerns[0]?.steps.flatMap((step) => step.commands) ?? [];
    expect(commands.join()).toMatch(advice);
    for (const command of commands) expect((await desk.run(command.split(" "), options)).status).toBe(0);
  },
);
