import { writeSync } from 'node:fs'

let armed: { point: string; left: number } | null = null

/** Arms one named point of this process. @param setting `<point>` or `<point>:<nth time>`; never in production. */
export function armFault(setting: string | undefined): void {
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
