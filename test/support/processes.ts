import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Returns whether a process runs. A zombie process does not count as running. */
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
 * Polls until `check` returns true; rejects with `description` after the timeout. A quick success does not wait for the
 * timeout, which is long enough for slow or busy machines.
 */
export async function waitUntil(description: string, check: () => boolean | Promise<boolean>, timeoutMs = 60_000) {
  const end = Date.now() + timeoutMs
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`Not within ${timeoutMs} ms: ${description}`)
    await sleep(20)
  }
}

/** Repeats work until its result is the wanted one. @returns that result */
export async function repeatUntil<T, Wanted extends T = T>(
  description: string,
  work: () => Promise<T>,
  isWanted: ((result: T) => result is Wanted) | ((result: T) => boolean),
): Promise<Wanted> {
  const results: T[] = []
  await waitUntil(description, async () => isWanted((results[0] = await work())))
  return results[0] as Wanted
}

/**
 * Measures until a time is below the limit, at most five times: a shared machine may stall at any moment, but not at
 * every moment.
 * @param measureMs returns milliseconds
 */
export async function assertQuick(maxMs: number, measureMs: () => Promise<number>) {
  const times: number[] = []
  while (times.length < 5) {
    const time = await measureMs()
    if (time < maxMs) return
    times.push(time)
  }
  throw new Error(`Never below ${maxMs} ms: ${times.join()}`)
}
