export interface Repetition {
  /** Starts a run now, or one more if a run is in progress. Resolves when a run that began after the call has ended. */
  runSoon(): Promise<void>
  /** Ends the repetition. Resolves when a run in progress has ended. */
  stop(): Promise<void>
}

/**
 * Runs `action` at once and then every `intervalMs` milliseconds, never twice at a time. `onError` gets what it throws.
 */
export function startRepetition(
  intervalMs: number,
  action: () => Promise<void>,
  onError: (cause: unknown) => void,
): Repetition {
  let stopped = false
  let again = false
  let wake = () => {}
  let next = Promise.withResolvers<void>()

  const waitForNext = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, intervalMs * (0.9 + Math.random() * 0.2))
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const loop = async () => {
    while (!stopped) {
      const current = next
      next = Promise.withResolvers()
      again = false
      await action().catch(onError)
      current.resolve()
      if (!again && !stopped) await waitForNext()
      // Calls of `runSoon` in the same turn of the event loop share one run.
      await new Promise((resolve) => setImmediate(resolve))
    }
    next.resolve()
  }
  const ended = loop()
  return {
    runSoon() {
      again = true
      wake()
      return next.promise
    },
    async stop() {
      stopped = true
      wake()
      await ended
    },
  }
}
