/** Counts the timers that keep this process alive. The one of the running test begins with its first `await`. */
export async function countTimers(): Promise<number> {
  await new Promise((resolve) => setImmediate(resolve))
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}
