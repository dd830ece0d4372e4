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

/** Asks until the answer is true; rejects with `what` after the time is over. */
export async function eventually(what: string, ask: () => boolean | Promise<boolean>, patience = 10_000) {
  const end = Date.now() + patience
  while (!(await ask())) {
    if (Date.now() > end) throw new Error(`Not within ${patience} ms: ${what}`)
    await sleep(20)
  }
}
