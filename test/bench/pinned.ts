import { type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { findProgram, spawnTied } from '../../core/embedded/tied.ts'
import { microseconds, printProfile } from './profile.ts'

const root = join(import.meta.dirname, '../..')

/** The processors that this process may use, as the kernel numbers them. Source: proc_pid_status(5). */
function processors(): number[] {
  const [, list = '0'] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return list.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, at) => from + at)
  })
}

const [first, second] = processors()
const pinnable = first !== undefined && second !== undefined && findProgram('taskset') !== undefined

/** What runs a command on the servers' processor, or on the generator's: nothing where there is only one. */
export const onCore: Record<'server' | 'generator', string[]> = {
  server: pinnable ? ['taskset', '-c', `${first}`] : [],
  generator: pinnable ? ['taskset', '-c', `${second}`] : [],
}

export const pinning = pinnable
  ? `servers on processor ${first}, generator on processor ${second}, PostgreSQL and Redis where they like`
  : 'nothing pinned: there is one processor only, or no taskset'

export interface PinnedPlan {
  name: string
  /** Path of the entry point below the package's folder. */
  entry: string
  args?: string[]
  env: NodeJS.ProcessEnv
  /** A folder for the profile; it is printed when the process has stopped. */
  profile?: string | undefined
  /** Whether the profile is of its start, else of all that comes after. */
  profilesStart?: boolean
  /** Whether it runs on the servers' processor. */
  pinned?: boolean
}

export interface PinnedProcess {
  child: ChildProcess
  pid: number
  /** Milliseconds from its launch until it said that it serves. */
  readyAfter: number
  stop(): Promise<void>
}

/** Starts an entry point that says `{ready: true}` when it serves. It ends with this process. */
export async function startPinned({
  name,
  entry,
  args = [],
  env,
  profile,
  profilesStart = false,
  pinned = true,
}: PinnedPlan): Promise<PinnedProcess> {
  const flags = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval', '500', '--cpu-prof-dir', profile]
  const command = [...(pinned ? onCore.server : []), process.execPath, ...flags, join(root, entry), ...args]
  const launched = performance.now()
  const child = spawnTied(
    command as [string, ...string[]],
    { signal: 'SIGKILL' },
    {
      cwd: root,
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
  await ready(name, child)
  const readyAfter = performance.now() - launched
  const served = microseconds()
  return {
    child,
    pid: child.pid ?? 0,
    readyAfter,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      const time = profilesStart ? { from: 0, to: served } : { from: served, to: Infinity }
      if (profile !== undefined) await printProfile({ name, folder: profile, pid: child.pid }, time)
    },
  }
}

function ready(name: string, child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => reject(new Error(`${name} ended with ${signal ?? `code ${code}`}`)))
    child.on('message', (message) => {
      if (typeof message === 'object' && message !== null && 'ready' in message) resolve()
    })
  })
}
