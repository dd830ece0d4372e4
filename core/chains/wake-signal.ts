/** The channel of the notices that inform senders of new operations. The payload is the network. */
export const chainChannel = 'chain'

/** A signal that wakes a sleeping loop. A ring while the loop is awake ends its next sleep at once. */
export interface WakeSignal {
  ring(): void
  /** Sleeps until the next ring, at most for the given number of milliseconds. */
  sleep(milliseconds: number): Promise<void>
}

export function createWakeSignal(): WakeSignal {
  let isSet = false
  let wake: (() => void) | undefined
  return {
    ring() {
      isSet = true
      wake?.()
    },
    async sleep(milliseconds) {
      if (!isSet && milliseconds > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
        wake = undefined
      }
      isSet = false
    },
  }
}
