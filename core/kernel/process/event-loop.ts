const waitingResolvers: (() => void)[] = []

/**
 * Resolves in a later turn of the event loop. Only one waiting piece of long work continues in each turn, however many
 * wait, so that short tasks that wait for the database or a node run between any two pieces.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (waitingResolvers.push(resolve) === 1) setImmediate(resumeNext)
  })
}

function resumeNext(): void {
  waitingResolvers.shift()?.()
  if (waitingResolvers.length > 0) setImmediate(resumeNext)
}
