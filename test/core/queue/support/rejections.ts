/** Collects the rejections that nobody handles while `work` runs; they would end a process of the product. */
export async function collectUnhandledRejections(work: () => Promise<unknown>): Promise<unknown[]> {
  const causes = new Set<unknown>()
  const note = (cause: unknown) => void causes.add(cause)
  process.on('unhandledRejection', note)
  try {
    await work()
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.off('unhandledRejection', note)
  }
  return [...causes]
}
