import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Flood, FloodFigures, FloodOptions } from './floods.ts'

/** Begins a flood in a process of its own, so that what it costs its sender does not count as what it costs others. */
export function startNoise({ name, a: { key, sheet, application }, base, credential }: FloodOptions): Flood {
  const child = fork(join(import.meta.dirname, 'children/flood.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const exited = once(child, 'exit').then(() => {
    throw new Error('A flood ended before its time')
  })
  exited.catch(() => undefined)
  const said = async () => (await Promise.race([once(child, 'message'), exited]))[0] as FloodFigures
  child.send({ name, a: { key, sheet, application }, base, credential } satisfies FloodOptions)
  return {
    atFullRate: said().then(() => undefined),
    async stop() {
      const figures = said()
      child.send('stop')
      return figures
    },
  }
}
