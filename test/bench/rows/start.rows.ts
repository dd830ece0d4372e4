import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findFreePort } from '../../../core/start/ports.ts'
import { computeMedian, atMost, createRatioFigure, type Figure } from '../figures.ts'
import { startPinnedProcess } from '../pinned-process.ts'
import { localProductionSettings, type BenchSetup } from '../bench-setup.ts'

const startCount = 5
const importCode = "await import('koa'); await import('pg')"

/** Measures the milliseconds until the API serves, next to a process that loads koa and pg and ends. */
export async function measureStart(stand: BenchSetup): Promise<Figure[]> {
  const [ours, bare]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < startCount; turn++) {
    bare.push(await measureBareStart(stand.env))
    const env = { ...stand.env, ...localProductionSettings, PORT: `${await findFreePort()}` }
    const profile = turn === startCount - 1 ? stand.profileOf('start') : undefined
    const api = await startPinnedProcess({
      name: 'start',
      entry: 'core/server.ts',
      env,
      profile,
      profilesStart: true,
      pinned: false,
    })
    ours.push(api.readyAfterMs)
    await api.stop()
  }
  const baseline = { name: 'node with koa and pg', value: computeMedian(bare) }
  return [
    createRatioFigure({
      row: 'start',
      what: 'cold start of the API',
      unit: 'ms',
      baseline,
      ours: computeMedian(ours),
      target: atMost(8),
    }),
  ]
}

async function measureBareStart(env: NodeJS.ProcessEnv): Promise<number> {
  const startedAtMs = performance.now()
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', importCode], {
    env,
    cwd: join(import.meta.dirname, '../../..'),
  })
  return performance.now() - startedAtMs
}
