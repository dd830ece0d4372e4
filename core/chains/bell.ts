/** The channel that tells senders of new operations; the payload is the network. */
export const chainChannel = 'chain'

/** Wakes a loop that sleeps. A ring while it is awake is kept for its next sleep. */
export interface Bell {
  ring(): void
  /** Sleeps until the next ring, at most so many milliseconds. */
  sleep(milliseconds: number): Promise<void>
}

export function createBell(): Bell {
  let rung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      rung = true
      wake?.()
    },
    async sleep(milliseconds) {
      if (!rung && milliseconds > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds)
          wake = () => { clearTimeout(timer); resolve() }
        })
        wake = undefined
      }
      rung = false
    },
  }
}
