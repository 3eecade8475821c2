import { afterAll, beforeAll } from "vitest";

/**
 * Sets variables that the AWS SDK reads from the process' own environment, for the tests of the present file.
 */
export function withAwsEnvironment(values: () => Readonly<Record<string, string>>): void {
  const before = new Map<string, string | undefined>();
  beforeAll(() => {
    for (const [name, value] of Object.entries(values())) {
      before.set(name, process.env[name]);
      process.env[name] = value;
    }
  });
  afterAll(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}
