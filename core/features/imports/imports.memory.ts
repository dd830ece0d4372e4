import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** By how many per cent the heap may grow before it is swept; 0: as the engine likes, which is up to four times. */
const frugal = 18
/** Bytes of bytecode past which a function is not optimized: doing that to the validator of a whole product takes 30 MB. */
const optimized = 8_192

let running = 0

/**
 * Keeps the heap small while a million rows pass through it: what the start of the process left is swept first, and
 * what rows leave is swept often instead of kept until there is need.
 * Source: V8, `--heap-growing-percent`, which is read whenever a limit is set.
 */
export async function frugally<T>(work: () => Promise<T>): Promise<T> {
  if (running++ === 0) {
    setFlagsFromString(`--heap-growing-percent=${frugal}`)
    sweep()
  }
  try {
    return await work()
  } finally {
    if (--running === 0) setFlagsFromString('--heap-growing-percent=0')
  }
}

let swept = false

/** Once a process: some 50 ms. */
function sweep(): void {
  if (swept) return
  swept = true
  setFlagsFromString(`--max-optimized-bytecode-size=${optimized}`)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}
