import { writeSync } from 'node:fs'

let armedPoint: { point: string; left: number } | null = null

let isListening = false

/**
 * Arms one named fault point of this process, never in production. A process that was started with a fault point also
 * accepts others from its parent as messages `{fault}`, so that it does not have to be restarted for each one.
 * @param setting `<point>` or `<point>:<nth time>`
 */
export function armFaultPoint(setting: string | undefined): void {
  setArmedPoint(setting)
  if (setting === undefined || isListening) return
  isListening = true
  process.on('message', (message) => {
    if (typeof message === 'object' && message !== null && 'fault' in message) setArmedPoint(String(message.fault))
  })
}

function setArmedPoint(setting: string | undefined): void {
  const [point, nth] = setting?.split(':') ?? []
  armedPoint = point ? { point, left: Number(nth ?? 1) } : null
}

/**
 * Kills this process if a test has armed this point, as a power failure would. Costs one comparison when nothing is
 * armed. The line that it writes names the point, so that a kill of an idle process can be told from one that counts.
 */
export function hitFaultPoint(point: string, detail: Record<string, unknown> = {}): void {
  if (armedPoint?.point !== point || --armedPoint.left > 0) return
  writeSync(2, `${JSON.stringify({ msg: 'struck', point, pid: process.pid, ...detail })}\n`)
  process.kill(process.pid, 'SIGKILL')
}
