/** Milliseconds of processor time that the work takes: what a busy machine does not stretch, unlike the clock. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
