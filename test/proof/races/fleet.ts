import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connectDatabase } from '../../../core/database/connection.ts'
import { keepChild, type KeptChild } from '../../../core/start/children.ts'
import { findFreePort } from '../../../core/start/ports.ts'
import { findSendingPort } from '../../support/database/server-activity.ts'
import { repeatUntil } from '../../support/processes.ts'
import { startPlatform, type OwnPlatform, type OwnPlatformOptions } from '../../support/own-platform.ts'

/** What a platform runs twice. */
export const doubledProcesses = ['server', 'worker'] as const
export type DoubledProcess = (typeof doubledProcesses)[number]
/** A process of a fleet. */
export type FleetMember = DoubledProcess | `${DoubledProcess}2` | 'signer'

/** Two API processes and two workers on one database, one Redis, one signer and one node. */
export interface Fleet {
  platform: OwnPlatform
  /** Addresses of both APIs, the platform's own first. */
  apis: [string, string]
  members: Record<FleetMember, KeptChild>
  stop(): Promise<void>
}

export async function openFleet(options: OwnPlatformOptions = {}): Promise<Fleet> {
  const platform = await startPlatform(options)
  const { server, worker, signer } = platform.children
  const port = await findFreePort()
  const server2 = await startTwin(platform, 'server', options, { env: { PORT: `${port}` } })
  const worker2 = await startTwin(platform, 'worker', options)
  const stop = async () => {
    await Promise.all([server2.stop(), worker2.stop()])
    await platform.stop()
  }
  try {
    await Promise.all([server2.ready(), worker2.ready()])
  } catch (cause) {
    await stop()
    throw cause
  }
  const members = { server, worker, signer, server2, worker2 }
  return { platform, apis: [platform.api, `http://127.0.0.1:${port}`], members, stop }
}

interface TwinOptions {
  name?: string
  /** In addition to what the process that runs has, or in place of it. */
  env?: NodeJS.ProcessEnv
}

/** One more process, with the settings of the one that runs: as the second machine behind a balancer has them. */
export async function startTwin(
  { children, lines }: OwnPlatform,
  process: DoubledProcess,
  { keeperDelays: keeperDelays }: OwnPlatformOptions,
  { name = `${process}2`, env: own }: TwinOptions = {},
): Promise<KeptChild> {
  const env = { ...readEnvironment(children[process]), METRICS_PORT: `${await findFreePort()}`, ...own }
  return keepChild(
    { name, entry: `core/${process}.ts`, env },
    {
      keeperDelays,
      onLine: (from, text) => lines.push(`${from} ${text}`),
      giveUp: (cause) => {
        throw cause
      },
    },
  )
}

/** What a process was started with. Source: proc(5). */
export function readEnvironment({ pid }: Pick<KeptChild, 'pid'>): NodeJS.ProcessEnv {
  if (pid === undefined) return {}
  const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

/**
 * Waits for the worker whose sender may send. A sender gives the lease up when its connection or the signer fails, so
 * for a moment no worker has it.
 */
export const waitForSendingWorker = (fleet: Fleet): Promise<'worker' | 'worker2'> =>
  repeatUntil(
    'a worker has the lease of the sender',
    () => findSendingWorker(fleet),
    (worker) => worker !== undefined,
  )

/** Finds the worker whose connection has the lock of the sender. Undefined while none has. */
async function findSendingWorker({ platform, members }: Fleet): Promise<'worker' | 'worker2' | undefined> {
  const db = connectDatabase({ url: platform.database, name: 'test' })
  const port = await findSendingPort(db).finally(() => db.destroy())
  const socket = port === undefined ? undefined : socketFrom(port)
  return (['worker', 'worker2'] as const).find((name) => socket !== undefined && hasOpen(members[name].pid, socket))
}

/** The socket of this machine that a connection comes from, by its port. Source: proc(5), /proc/net/tcp. */
function socketFrom(port: number): string | undefined {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readFileSync(file, 'utf8').trim().split('\n').slice(1),
  )
  const found = rows
    .map((line) => line.trim().split(/\s+/))
    .find(([, from, , state]) => from?.endsWith(local) && state === '01')
  return found && `socket:[${found[9]}]`
}

function hasOpen(pid: number | undefined, socket: string): boolean {
  if (pid === undefined) return false
  return readdirSync(`/proc/${pid}/fd`).some((each) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${each}`) === socket
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw cause
    }
  })
}
