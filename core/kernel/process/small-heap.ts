import { setFlagsFromString } from 'node:v8'
import { collectGarbage } from './garbage.ts'

/** The percentage by which the heap may grow before garbage is collected; with 0, V8 lets it grow up to four times. */
const heapGrowthPercent = 18
/**
 * The size of bytecode in bytes above which V8 does not optimize a function: optimizing the validator of a whole
 * product takes 30 MB.
 */
const maxOptimizedBytecodeBytes = 8_192

let running = 0

/**
 * Runs `work` with a small heap while up to a million rows, or requests, pass through it. What the start of the process left is
 * collected first; what they leave is collected often, not only when memory is short.
 * Source: V8, `--heap-growing-percent`, which V8 reads whenever it sets a limit of the heap.
 */
export async function runWithSmallHeap<T>(work: () => Promise<T>): Promise<T> {
  if (running++ === 0) {
    setFlagsFromString(`--heap-growing-percent=${heapGrowthPercent}`)
    prepareHeap()
  }
  try {
    return await work()
  } finally {
    if (--running === 0) setFlagsFromString('--heap-growing-percent=0')
  }
}

let isPrepared = false

/** Collects what the start of the process left, once per process, and stops V8 from optimizing large functions. */
function prepareHeap(): void {
  if (isPrepared) return
  isPrepared = true
  setFlagsFromString(`--max-optimized-bytecode-size=${maxOptimizedBytecodeBytes}`)
  collectGarbage()
}
