import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fetchPackage } from '../../core/embedded/debian-package.ts'
import { findProgram } from '../../core/embedded/tied-process.ts'
import { computeMedian } from './figures.ts'
import { pinCommands } from './pinned-process.ts'

const runFile = promisify(execFile)

export interface HttpRequest {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

/** The requests, which are sent again and again in this order, and the number of connections. */
export interface LoadOptions {
  requests: readonly HttpRequest[]
  connections: number
  seconds: number
}

/** The requests per second, and the 50th and 99th percentile of the time until an answer, in milliseconds. */
export interface LoadResult {
  count: number
  perSecond: number
  p50: number
  p99: number
}

/** Finds `wrk` on the system; otherwise unpacks the distribution's package, without root. */
async function findGenerator(): Promise<{ path: string; env: NodeJS.ProcessEnv }> {
  const installed = findProgram('wrk')
  if (installed !== undefined) return { path: installed, env: {} }
  const { root, env } = await fetchPackage('wrk')
  return { path: join(root, 'usr/bin/wrk'), env }
}

let generatorProgram: ReturnType<typeof findGenerator> | undefined

/** Loads a server once. @throws Error for any answer that is not 2xx or 3xx, or if there is no answer at all */
export async function runLoad(
  url: string,
  { requests, connections, seconds }: LoadOptions,
  folder: string,
): Promise<LoadResult> {
  const { path, env } = await (generatorProgram ??= findGenerator())
  const script = join(folder, `load-${process.pid}.lua`)
  await writeFile(script, createScript(requests))
  const [file = path, ...args] = [
    ...pinCommands.generator,
    path,
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    script,
    url,
  ]
  const { stdout } = await runFile(file, args, { env: { ...process.env, ...env } })
  const [, text] = /^RESULT (.+)$/m.exec(stdout) ?? []
  if (text === undefined) throw new Error(`wrk says no result:\n${stdout}`)
  const { requests: count, micros, wrong, p50, p99 } = JSON.parse(text) as Record<string, number>
  if (!count || !micros || wrong) throw new Error(`${url}: ${count} answers, ${wrong} wrong`)
  return { count, perSecond: count / (micros / 1e6), p50: (p50 ?? 0) / 1000, p99: (p99 ?? 0) / 1000 }
}

const quoteLua = (value: string) => `"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`

const formatRequest = ({ method, path, headers = {}, body }: HttpRequest) => {
  const pairs = Object.entries(headers).map(([name, value]) => `[${quoteLua(name)}] = ${quoteLua(value)}`)
  return `wrk.format(${quoteLua(method)}, ${quoteLua(path)}, {${pairs.join(', ')}}, ${body === undefined ? 'nil' : quoteLua(body)})`
}

/** Requests that one function of the script has: its language takes at most 65,536 constants in a function. */
const requestsPerFunction = 1_000

function createFillFunction(requests: readonly HttpRequest[], part: number): string {
  const own = requests.slice(part * requestsPerFunction, (part + 1) * requestsPerFunction)
  return `fill[${part + 1}] = function()\n${own.map((one) => `  ready[#ready + 1] = ${formatRequest(one)}`).join('\n')}\nend`
}

/** Creates the script for `wrk`. It formats the requests once, so that sending costs the generator little. */
const createScript = (requests: readonly HttpRequest[]) => `
local ready, at, fill = {}, 0, {}
${Array.from({ length: Math.ceil(requests.length / requestsPerFunction) }, (_, part) => createFillFunction(requests, part)).join('\n')}
function init()
  for _, add in ipairs(fill) do add() end
end
function request()
  at = at % #ready + 1
  return ready[at]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('\\nRESULT {"requests":%d,"micros":%d,"wrong":%d,"p50":%f,"p99":%f}\\n', summary.requests,
    summary.duration, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50), latency:percentile(99)))
end
`

export interface LoadSide {
  url: string
  requests: readonly HttpRequest[]
  /** The process whose processor time is counted. */
  pid?: number
}

/** The result of a load, with the processor time of the process per request in microseconds. */
export type WeighedLoad = LoadResult & { spent: number }

/** Loads a side once, and weighs what it cost. */
export async function loadSide(
  { url, requests, pid }: LoadSide,
  pace: Omit<LoadOptions, 'requests'>,
  folder: string,
): Promise<WeighedLoad> {
  const before = readProcessorMicroseconds(pid)
  const answered = await runLoad(url, { requests, ...pace }, folder)
  return { ...answered, spent: (readProcessorMicroseconds(pid) - before) / answered.count }
}

/** How a row loads its sides, where it differs from the usual. */
interface TurnOptions {
  /** How often each side is measured: the more, the less a slow moment of the machine counts. */
  turns?: number
  /** At most 3 by default, which must be enough for one answer. */
  warmUpSeconds?: number
}

/**
 * Loads sides in turn, usually three times each, after a warm-up, so that other work on the machine affects all of them.
 * @returns the medians of the runs of each side
 */
export async function loadSidesInTurn(
  sides: readonly LoadSide[],
  pace: Omit<LoadOptions, 'requests'> & TurnOptions,
  folder: string,
): Promise<WeighedLoad[]> {
  const results = await loadTurns(sides, pace, folder)
  return results.map((answered) => {
    const computeMiddle = (name: keyof WeighedLoad) => computeMedian(answered.map((one) => one[name]))
    return {
      count: computeMiddle('count'),
      perSecond: computeMiddle('perSecond'),
      p50: computeMiddle('p50'),
      p99: computeMiddle('p99'),
      spent: computeMiddle('spent'),
    }
  })
}

/**
 * Loads sides in turn as `loadSidesInTurn` does.
 * @returns the runs of each side, of which those at the same place were made one after the other
 */
export async function loadTurns(
  sides: readonly LoadSide[],
  pace: Omit<LoadOptions, 'requests'> & TurnOptions,
  folder: string,
): Promise<WeighedLoad[][]> {
  const { connections, seconds, turns = 3, warmUpSeconds = Math.min(seconds, 3) } = pace
  const results: WeighedLoad[][] = sides.map(() => [])
  const loadOnce = (side: LoadSide, time: number) => loadSide(side, { connections, seconds: time }, folder)
  for (const side of sides) await loadOnce(side, warmUpSeconds)
  for (let turn = 0; turn < turns; turn++) {
    const inOrder = [...sides.entries()]
    // Who begins changes, so that what slows down in the meantime slows all.
    for (const [at, side] of turn % 2 === 0 ? inOrder : inOrder.reverse())
      results[at]?.push(await loadOnce(side, seconds))
  }
  return results
}

/**
 * Reads the processor time of a process so far, in microseconds. The kernel counts in hundredths of a second. Source:
 * proc_pid_stat(5).
 */
export function readProcessorMicroseconds(pid: number | undefined): number {
  if (pid === undefined) return 0
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}
