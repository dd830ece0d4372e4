import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whether a process runs; one that has ended and only waits to be collected does not. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^[ZX]$/.test(stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3))
  } catch (cause) {
    if (['ENOENT', 'ESRCH'].includes((cause as NodeJS.ErrnoException).code ?? '')) return false
    throw cause
  }
}

/**
 * Asks until the answer is true; rejects with `what` after the time is over. What is there soon costs none of the patience,
 * which is for machines that are slow or have other things to do.
 */
export async function eventually(what: string, ask: () => boolean | Promise<boolean>, patience = 30_000) {
  const end = Date.now() + patience
  while (!(await ask())) {
    if (Date.now() > end) throw new Error(`Not within ${patience} ms: ${what}`)
    await sleep(20)
  }
}

/**
 * Measures until a time is below the limit, five times at most: a machine that others use too may stand still at any moment,
 * but not at every one. @param measure milliseconds
 */
export async function isQuick(limit: number, measure: () => Promise<number>) {
  const times: number[] = []
  while (times.length < 5) {
    const time = await measure()
    if (time < limit) return
    times.push(time)
  }
  throw new Error(`Never below ${limit} ms: ${times.join()}`)
}
