import { type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { findProgram, spawnTied } from '../../core/embedded/tied-process.ts'
import { getMicroseconds, printProfile } from './profile.ts'

const root = resolve(import.meta.dirname, '../..')

/** Lists the processors that this process may use, as the kernel numbers them. Source: proc_pid_status(5). */
function listProcessors(): number[] {
  const [, list = '0'] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return list.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, at) => from + at)
  })
}

const [first, second] = listProcessors()
const canPin = first !== undefined && second !== undefined && findProgram('taskset') !== undefined

/**
 * The commands that pin a program to the servers' or the generator's processor; empty if there is only one processor.
 */
export const pinCommands: Record<'server' | 'generator', string[]> = {
  server: canPin ? ['taskset', '-c', `${first}`] : [],
  generator: canPin ? ['taskset', '-c', `${second}`] : [],
}

export const pinningNote = canPin
  ? `servers on processor ${first}, generator on processor ${second}, PostgreSQL and Redis where they like`
  : 'nothing pinned: there is one processor only, or no taskset'

export interface PinnedProcessOptions {
  name: string
  /** The path of the entry point, relative to the package's folder unless it is of another checkout. */
  entry: string
  args?: string[]
  env: NodeJS.ProcessEnv
  /** A folder for the profile, which is printed when the process has stopped. */
  profile?: string | undefined
  /** Whether to profile only the start; otherwise everything after the start is profiled. */
  profilesStart?: boolean
  /** Whether the process runs on the servers' processor, or on that of what loads them. */
  pinned?: boolean | 'generator'
}

export interface PinnedProcess {
  child: ChildProcess
  pid: number
  /** The milliseconds from the launch until the process was ready. */
  readyAfterMs: number
  stop(): Promise<void>
}

/** Starts an entry point that sends `{ready: true}` when it serves. It ends with this process. */
export async function startPinnedProcess({
  name,
  entry,
  args = [],
  env,
  profile,
  profilesStart = false,
  pinned = true,
}: PinnedProcessOptions): Promise<PinnedProcess> {
  const flags = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval', '500', '--cpu-prof-dir', profile]
  const pin = pinned === 'generator' ? pinCommands.generator : pinned ? pinCommands.server : []
  const command = [...pin, process.execPath, ...flags, resolve(root, entry), ...args]
  const launchedAtMs = performance.now()
  const child = spawnTied(
    command as [string, ...string[]],
    { signal: 'SIGKILL' },
    {
      cwd: root,
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
  await waitUntilReady(name, child)
  const readyAfterMs = performance.now() - launchedAtMs
  const servedAtMicroseconds = getMicroseconds()
  return {
    child,
    pid: child.pid ?? 0,
    readyAfterMs,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      const time = profilesStart ? { from: 0, to: servedAtMicroseconds } : { from: servedAtMicroseconds, to: Infinity }
      if (profile !== undefined) await printProfile({ name, folder: profile, pid: child.pid }, time)
    },
  }
}

function waitUntilReady(name: string, child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => reject(new Error(`${name} ended with ${signal ?? `code ${code}`}`)))
    child.on('message', (message) => {
      if (typeof message === 'object' && message !== null && 'ready' in message) resolve()
    })
  })
}
