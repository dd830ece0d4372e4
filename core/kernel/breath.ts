const waiting: (() => void)[] = []

/**
 * Resolves in a later turn of the event loop. Of all long work in this process one piece goes on in each turn, however
 * many there are: what is quick, and waits for the database or a node, comes up between any two pieces.
 */
export function takeBreath(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn)
  })
}

function goOn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(goOn)
}
