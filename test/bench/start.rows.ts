import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../core/start/ports.ts'
import { median, most, ratio, type Figure } from './figures.ts'
import { startPinned } from './pinned.ts'
import { productionHere, type Stand } from './stand.ts'

const starts = 5
const imports = "await import('koa'); await import('pg')"

/** Milliseconds from the launch of the API until it serves, and of a process that loads koa and pg and ends. */
export async function startRow(stand: Stand): Promise<Figure[]> {
  const [ours, bare]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < starts; turn++) {
    bare.push(await bareStart(stand.env))
    const env = { ...stand.env, ...productionHere, PORT: `${await freePort()}` }
    const profile = turn === starts - 1 ? stand.profileOf('start') : undefined
    const api = await startPinned({
      name: 'start',
      entry: 'core/server.ts',
      env,
      profile,
      profilesStart: true,
      pinned: false,
    })
    ours.push(api.readyAfter)
    await api.stop()
  }
  const baseline = { name: 'node with koa and pg', value: median(bare) }
  return [
    ratio({ row: 'start', what: 'cold start of the API', unit: 'ms', baseline, ours: median(ours), target: most(8) }),
  ]
}

async function bareStart(env: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now()
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', imports], {
    env,
    cwd: join(import.meta.dirname, '../..'),
  })
  return performance.now() - began
}
