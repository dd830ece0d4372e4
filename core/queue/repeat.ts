export interface Repeated {
  /** Runs it now, or once more when it is running. Resolves when a run that began after the call has ended. */
  soon(): Promise<void>
  /** Ends it; resolves when a run in hand is done. */
  stop(): Promise<void>
}

/** Runs `act` at once and then every so many milliseconds, never twice at a time. `failed` hears what it throws. */
export function repeat(every: number, act: () => Promise<void>, failed: (cause: unknown) => void): Repeated {
  let stopped = false
  let again = false
  let wake = () => {}
  let next = Promise.withResolvers<void>()

  const rest = () => new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, every * (0.9 + Math.random() * 0.2))
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
      await act().catch(failed)
      current.resolve()
      if (!again && !stopped) await rest()
      // What is asked for in one turn of the event loop is asked once.
      await new Promise((resolve) => setImmediate(resolve))
    }
    next.resolve()
  }
  const life = loop()
  return {
    soon() {
      again = true
      wake()
      return next.promise
    },
    async stop() {
      stopped = true
      wake()
      await life
    },
  }
}
