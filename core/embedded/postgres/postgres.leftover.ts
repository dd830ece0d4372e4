import { existsSync } from 'node:fs'
import { readdir, readFile, readlink, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LaunchHinderedError } from '../keeper.ts'
import type { Cluster } from './postgres.cluster.ts'

/** Milliseconds that a server gets after each signal, and that its orphaned processes get before SIGKILL. */
const serverTimeoutMs = 5_000
const orphanTimeoutMs = 500
/**
 * Milliseconds until a launch is tried again from the beginning, because a process may hang while it writes to the
 * disk.
 */
const maxWaitMs = 60_000
const lookIntervalMs = 20

/**
 * Removes what an earlier server left. A server that still runs on this cluster has lost its parent. It is stopped, so
 * that the next server is tied to this process. A killed server may leave processes of its own that hold its memory,
 * for example in a checkpoint. A new server would not start beside them, so they are ended, and this function waits for
 * their end. A `postmaster.pid` that names another program is only deleted.
 * @throws LaunchHinderedError if the earlier server's processes or its memory are still there after a minute
 */
export async function clearLeftovers({ data }: Cluster): Promise<void> {
  const lock = await readLock(join(data, 'postmaster.pid'))
  if (lock) await stopServer(lock.pid, data)
  await endOrphans(data)
  if (lock && !(await waitUntil(maxWaitMs, async () => (await countAttached(lock.segment)) === 0))) {
    throw new LaunchHinderedError(
      `The shared memory ${lock.segment} of an earlier PostgreSQL on ${data} is still in use`,
    )
  }
  await rm(join(data, 'postmaster.pid'), { force: true })
}

/** Reads a server's process id and segment of shared memory from its lock file. Source: PostgreSQL, `pidfile.h`. */
async function readLock(file: string): Promise<{ pid: number; segment: string } | undefined> {
  if (!existsSync(file)) return undefined
  const lines = (await readFile(file, 'utf8')).split('\n')
  return { pid: Number(lines[0]), segment: lines[6]?.trim().split(/\s+/)[1] ?? '' }
}

async function stopServer(pid: number, data: string): Promise<void> {
  for (const signal of ['SIGINT', 'SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!(await runsOn(pid, data))) return
    sendSignal(pid, signal)
    await waitUntil(serverTimeoutMs, async () => !(await runsOn(pid, data)))
  }
}

/** Ends processes that a server left. SIGKILL is the last resort, because it may interrupt the write of a page. */
async function endOrphans(data: string): Promise<void> {
  let orphans = await listServers(data)
  const areGone = async () => (orphans = await listServers(data)).length === 0
  for (const pid of orphans) sendSignal(pid, 'SIGQUIT')
  if (await waitUntil(orphanTimeoutMs, areGone)) return
  for (const pid of orphans) sendSignal(pid, 'SIGKILL')
  if (await waitUntil(maxWaitMs, areGone)) return
  throw new LaunchHinderedError(`Processes of an earlier PostgreSQL on ${data} do not end: ${orphans.join(', ')}`)
}

/** Lists the processes of PostgreSQL on this cluster. The server and its child processes all run in its data folder. */
async function listServers(data: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(pids.map(async (pid) => (await runsOn(pid, data)) && (await isPostgres(pid))))
  return pids.filter((_, at) => found[at])
}

/** Checks whether a process has this cluster's folder as its working directory. */
async function runsOn(pid: number, data: string): Promise<boolean> {
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
  if (folder === undefined) return false
  const [found, wanted] = await Promise.all([stat(folder).catch(() => undefined), stat(data)])
  return found?.ino === wanted.ino && found.dev === wanted.dev
}

async function isPostgres(pid: number): Promise<boolean> {
  const program = await readlink(`/proc/${pid}/exe`).catch(() => '')
  return basename(program.replace(/ \(deleted\)$/, '')) === 'postgres'
}

/** Counts the processes that are attached to a segment of shared memory. Source: proc(5), /proc/sysvipc/shm. */
async function countAttached(segment: string): Promise<number> {
  const table = await readFile('/proc/sysvipc/shm', 'utf8').catch(() => '')
  const row = table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(([, id]) => id === segment)
  return Number(row?.[6] ?? 0)
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (cause) {
    // The process ended by itself in the meantime.
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause
  }
}

/** Repeats the check until it is true. @returns false if it was not true in time */
async function waitUntil(timeoutMs: number, isTrue: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + timeoutMs
  while (!(await isTrue())) {
    if (performance.now() > end) return false
    await sleep(lookIntervalMs)
  }
  return true
}
