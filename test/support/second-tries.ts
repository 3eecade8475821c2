import type { Reporter, TestCase } from "vitest/node";

/**
 * A reporter that names each test that failed and passed when it was tried again. CI gives integration tests that second try
 * (`TEST_SECOND_TRY=1`): one slow moment of its machine is to refuse nobody's work, and is not to be lost either, since it may be a
 * race of the product.
 */
export default class SecondTries implements Reporter {
  readonly #lines: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (!test.diagnostic()?.flaky) return;
    const [error] = test.result().errors ?? [];
    const [reason = "no error"] = (error?.message ?? "").split("\n");
    this.#lines.push(`second try: ${test.module.relativeModuleId} > ${test.fullName}: ${reason}`);
  }

  onTestRunEnd(): void {
    for (const line of this.#lines) console.log(line);
  }
}
