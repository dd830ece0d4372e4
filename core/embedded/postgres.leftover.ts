import { existsSync } from 'node:fs'
import { readdir, readFile, readlink, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LaunchHinderedError } from './keeper.ts'
import type { Cluster } from './postgres.cluster.ts'

/** Milliseconds that a server is given after each signal, and its orphans before they are ended for good. */
const serverPatience = 5_000
const orphanPatience = 500
/** Milliseconds after which a launch is tried again from its beginning: a process may hang in a write to the disk. */
const maxWait = 60_000
const look = 20

/**
 * Clears what an earlier server left. One that still runs on this cluster has lost its parent: it is stopped, so that
 * the next one is tied to this process. A server that was killed may leave processes of its own, as one in a checkpoint,
 * that hold its memory: a new server would refuse to start beside them, so they are ended and waited for. A
 * `postmaster.pid` that names another program is only a left-over.
 * @throws LaunchHinderedError when the memory of the earlier server is still in use after a minute
 */
export async function clearLeftOver({ data }: Cluster): Promise<void> {
  const lock = await readLock(join(data, 'postmaster.pid'))
  if (lock) await stopServer(lock.pid, data)
  await endOrphans(data)
  if (lock && !await within(maxWait, async () => await attached(lock.segment) === 0)) {
    throw new LaunchHinderedError(`The shared memory ${lock.segment} of an earlier PostgreSQL on ${data} is still in use`)
  }
  await rm(join(data, 'postmaster.pid'), { force: true })
}

/** What a server writes about itself: its process and its segment of shared memory. Source: PostgreSQL, `pidfile.h`. */
async function readLock(file: string): Promise<{ pid: number; segment: string } | undefined> {
  if (!existsSync(file)) return undefined
  const lines = (await readFile(file, 'utf8')).split('\n')
  return { pid: Number(lines[0]), segment: lines[6]?.trim().split(/\s+/)[1] ?? '' }
}

async function stopServer(pid: number, data: string): Promise<void> {
  for (const signal of ['SIGINT', 'SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!await runsOn(pid, data)) return
    send(pid, signal)
    await within(serverPatience, async () => !await runsOn(pid, data))
  }
}

/** Ends what a server left running. SIGKILL comes last, since it may cut a page that is being written in two. */
async function endOrphans(data: string): Promise<void> {
  let orphans = await serversOn(data)
  const areGone = async () => (orphans = await serversOn(data)).length === 0
  for (const pid of orphans) send(pid, 'SIGQUIT')
  if (await within(orphanPatience, areGone)) return
  for (const pid of orphans) send(pid, 'SIGKILL')
  if (await within(maxWait, areGone)) return
  throw new LaunchHinderedError(`Processes of an earlier PostgreSQL on ${data} do not end: ${orphans.join(', ')}`)
}

/** Processes of PostgreSQL on this cluster: the server and all that it forked work in the folder of its data. */
async function serversOn(data: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(pids.map(async (pid) => await runsOn(pid, data) && await isPostgres(pid)))
  return pids.filter((_, at) => found[at])
}

/** Whether this process works in the folder of this cluster. */
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

/** How many processes have this segment of shared memory. Source: proc(5), /proc/sysvipc/shm. */
async function attached(segment: string): Promise<number> {
  const table = await readFile('/proc/sysvipc/shm', 'utf8').catch(() => '')
  const row = table.split('\n').map((line) => line.trim().split(/\s+/)).find(([, id]) => id === segment)
  return Number(row?.[6] ?? 0)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (cause) {
    // It ended by itself meanwhile.
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause
  }
}

/** Asks until the answer is yes. @returns whether it was before that many milliseconds had passed */
async function within(milliseconds: number, ask: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + milliseconds
  while (!await ask()) {
    if (performance.now() > end) return false
    await sleep(look)
  }
  return true
}
