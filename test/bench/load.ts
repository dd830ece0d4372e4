import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unpackedPackage } from '../../core/embedded/debian.ts'
import { findProgram } from '../../core/embedded/tied.ts'
import { median } from './figures.ts'
import { onCore } from './pinned.ts'

const run = promisify(execFile)

export interface HttpRequest {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

/** What is sent, again and again in this order, over so many connections. */
export interface Load {
  requests: readonly HttpRequest[]
  connections: number
  seconds: number
}

/** Requests a second, and milliseconds within which so many in a hundred were answered. */
export interface Answered {
  count: number
  perSecond: number
  p50: number
  p99: number
}

/** `wrk` of the system, else the distribution's package, unpacked without root. */
async function generator(): Promise<{ path: string; env: NodeJS.ProcessEnv }> {
  const installed = findProgram('wrk')
  if (installed !== undefined) return { path: installed, env: {} }
  const { root, env } = await unpackedPackage('wrk')
  return { path: join(root, 'usr/bin/wrk'), env }
}

let found: ReturnType<typeof generator> | undefined

/** Loads a server once. @throws Error for any answer that is not 2xx or 3xx, or none at all */
export async function load(url: string, { requests, connections, seconds }: Load, folder: string): Promise<Answered> {
  const { path, env } = await (found ??= generator())
  const script = join(folder, `load-${process.pid}.lua`)
  await writeFile(script, scriptOf(requests))
  const [file = path, ...args] = [
    ...onCore.generator,
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
  const { stdout } = await run(file, args, { env: { ...process.env, ...env } })
  const [, text] = /^RESULT (.+)$/m.exec(stdout) ?? []
  if (text === undefined) throw new Error(`wrk says no result:\n${stdout}`)
  const { requests: count, micros, wrong, p50, p99 } = JSON.parse(text) as Record<string, number>
  if (!count || !micros || wrong) throw new Error(`${url}: ${count} answers, ${wrong} wrong`)
  return { count, perSecond: count / (micros / 1e6), p50: (p50 ?? 0) / 1000, p99: (p99 ?? 0) / 1000 }
}

const text = (value: string) => `"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`

const formatted = ({ method, path, headers = {}, body }: HttpRequest) => {
  const pairs = Object.entries(headers).map(([name, value]) => `[${text(name)}] = ${text(value)}`)
  return `wrk.format(${text(method)}, ${text(path)}, {${pairs.join(', ')}}, ${body === undefined ? 'nil' : text(body)})`
}

/** Requests are made ready once, so that sending costs the generator little. */
const scriptOf = (requests: readonly HttpRequest[]) => `
local ready, at = {}, 0
function init()
${requests.map((request, at) => `  ready[${at + 1}] = ${formatted(request)}`).join('\n')}
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

export interface Side {
  url: string
  requests: readonly HttpRequest[]
  /** The process whose time is counted. */
  pid?: number
}

/** An answered load, with the microseconds of a processor that the process took for each request. */
export type Weighed = Answered & { spent: number }

/** How often each side is measured. */
const runs = 3

/**
 * Loads sides in turn, three times each after a warm-up, so that what else happens on the machine meets all of them.
 * @returns for each side the middle of its runs
 */
export async function loadInTurn(
  sides: readonly Side[],
  { connections, seconds }: Omit<Load, 'requests'>,
  folder: string,
): Promise<Weighed[]> {
  const results: Weighed[][] = sides.map(() => [])
  const once = async ({ url, requests, pid }: Side, time: number): Promise<Weighed> => {
    const before = processorTime(pid)
    const answered = await load(url, { requests, connections, seconds: time }, folder)
    return { ...answered, spent: (processorTime(pid) - before) / answered.count }
  }
  for (const side of sides) await once(side, Math.min(seconds, 3))
  for (let turn = 0; turn < runs; turn++) {
    for (const [at, side] of sides.entries()) results[at]?.push(await once(side, seconds))
  }
  return results.map((answered) => {
    const middle = (name: keyof Weighed) => median(answered.map((one) => one[name]))
    return {
      count: middle('count'),
      perSecond: middle('perSecond'),
      p50: middle('p50'),
      p99: middle('p99'),
      spent: middle('spent'),
    }
  })
}

/** Microseconds of a processor that a process had so far. The kernel counts in hundredths. Source: proc_pid_stat(5). */
export function processorTime(pid: number | undefined): number {
  if (pid === undefined) return 0
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}
