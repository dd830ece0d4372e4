import { writeSync } from 'node:fs'

let armed: { point: string; left: number } | null = null

let hears = false

/**
 * Arms one named point of this process. One that was started with a point also hears of others from its parent, as
 * `{fault}`, so that it need not start anew for each. @param setting `<point>` or `<point>:<nth time>`; never in production.
 */
export function armFault(setting: string | undefined): void {
  arm(setting)
  if (setting === undefined || hears) return
  hears = true
  process.on('message', (message) => {
    if (typeof message === 'object' && message !== null && 'fault' in message) arm(String(message.fault))
  })
}

function arm(setting: string | undefined): void {
  const [point, nth] = setting?.split(':') ?? []
  armed = point ? { point, left: Number(nth ?? 1) } : null
}

/**
 * A place where a test may end this process as a power failure would. Costs one comparison when nothing is armed.
 * The line it leaves names what was struck, so that a kill of an idle process can be told from one that counts.
 */
export function faultPoint(point: string, detail: Record<string, unknown> = {}): void {
  if (armed?.point !== point || --armed.left > 0) return
  writeSync(2, `${JSON.stringify({ msg: 'struck', point, pid: process.pid, ...detail })}\n`)
  process.kill(process.pid, 'SIGKILL')
}
