/**
 * Milliseconds of processor time that the work takes: what a busy machine does not stretch, unlike the clock.
 */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * How often the processor time of `quarter` goes into that of `whole`, which is four times as large: about 4
 * when the work grows with the size, about 16 when it grows with its square. The same on a slow machine as on
 * a fast one.
 */
export async function growth<T>(quarter: T, whole: T, work: (input: T) => unknown): Promise<number> {
  await work(quarter); // The first time, Node.js compiles the code.
  const quarterMs = await cpuMs(() => work(quarter));
  return (await cpuMs(() => work(whole))) / quarterMs;
}
