import { randomUUID } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type pg from 'pg'
import { readCluster } from '../../../core/embedded/postgres/postgres.cluster.ts'
import { runAsSuperuser } from '../../../core/embedded/postgres/postgres.roles.ts'
import { createApiClient, type Client } from '../../support/client.ts'
import { createChurnedRows, forceCheckpoint, listCheckpointers } from '../../support/database/server-activity.ts'
import { startPlatform, type OwnPlatform, type OwnPlatformOptions } from '../../support/own-platform.ts'
import { waitUntil } from '../../support/processes.ts'
import { readAllPages } from '../stage/retried-requests.ts'

/** When PostgreSQL is killed, alone, with -9. */
export const killMoments = {
  load: 'while passports are created',
  checkpoint: 'in a checkpoint',
  orphan: 'in a checkpoint whose process hangs and stays behind',
  recovery: 'again while it recovers from a kill',
} as const
export type KillMoment = keyof typeof killMoments

/** One kill, and the seconds from the death until the API stored a new passport again. */
export interface PostgresKill {
  moment: KillMoment
  seconds: number
}

/** Rows that are changed all the time, so that a checkpoint has something to write. */
const churned = 20_000
const clients = 3
/** Milliseconds that a server serves between two kills, at least. */
const serves = 900

/** A platform whose customers create passports all the time, and what kills its database. */
export async function openPostgresTarget(options: OwnPlatformOptions = {}) {
  const platform = await startPlatform(options)
  try {
    return await targetOf(platform)
  } catch (cause) {
    await platform.stop()
    throw cause
  }
}

async function targetOf(platform: OwnPlatform) {
  const {
    parts: { postgres },
    children,
  } = platform
  const api = createApiClient(platform.apiKey, platform.api)
  const sheet = await api.post('/v1/dpp/products', {
    application: platform.application,
    network: 'EthereumAnvil',
    name: 'Bag',
    status: 'ACTIVE',
    passportsFields: [{ name: 'serialNumber', type: 'string', required: true }],
  })
  expect(sheet.status, sheet.text).to.equal(201)
  const product = String(sheet.body['id'])
  const processes = () => Object.values(children).map(({ pid }) => pid)
  const before = processes()
  const { record } = readCluster(platform.dataDir)
  const asPostgres = <T>(work: (database: pg.Client) => Promise<T>) =>
    runAsSuperuser(record, Number(new URL(postgres.url).port), 'tessera', work)
  await asPostgres((database) => createChurnedRows(database, churned))

  let isOver = false
  const stored = new Set<string>()
  const customers = Array.from({ length: clients }, async () => {
    while (!isOver) stored.add(await create(api, product, () => isOver))
  })

  /** A checkpoint with something to write, which dies with the server. */
  async function checkpoint(): Promise<void> {
    await asPostgres(forceCheckpoint).catch(() => undefined)
  }

  async function hangCheckpointer(): Promise<void> {
    for (const pid of await asPostgres(listCheckpointers)) process.kill(pid, 'SIGSTOP')
  }

  async function killServer(): Promise<void> {
    const { pid } = postgres
    if (pid === undefined) throw new Error('PostgreSQL does not run')
    process.kill(pid, 'SIGKILL')
    await waitUntil('its death is seen', () => postgres.pid !== pid)
  }

  async function kill(moment: KillMoment, delay: number): Promise<PostgresKill> {
    const writing = moment === 'load' ? undefined : checkpoint()
    await sleep(delay)
    if (moment === 'orphan') await hangCheckpointer()
    await killServer()
    if (moment === 'recovery') {
      await waitUntil('it recovers', () => postgres.pid !== undefined, 60_000)
      await killServer()
    }
    const began = performance.now()
    await create(api, product, () => false).then((id) => stored.add(id))
    const seconds = (performance.now() - began) / 1000
    await Promise.all([writing, postgres.ready()])
    // One that dies again and again within a moment is started later and later.
    await sleep(serves)
    return { moment, seconds }
  }

  return {
    platform,
    kill,
    /** Ends the customers. @returns what was acknowledged, and what is wrong with what is stored */
    async readVerdict() {
      isOver = true
      await Promise.all(customers)
      const found = await readAllPages(api, `/v1/dpp/passports?filters[product][eq]=${product}&pageSize=100`)
      const ids = new Set(found.map(({ id }) => String(id)))
      const serials = new Set(found.map(({ fields }) => String(fields?.['serialNumber'])))
      return {
        acknowledged: stored.size,
        lost: [...stored].filter((id) => !ids.has(id)).length,
        twice: found.length - serials.size,
        dataOn: statfsSync(readCluster(platform.dataDir).holder).type === memoryFileSystem ? 'memory' : 'disk',
        processesThatEnded: processes().filter((pid, at) => pid !== before[at]).length,
      }
    },
    stop: () => platform.stop(),
  }
}
export type PostgresTarget = Awaited<ReturnType<typeof openPostgresTarget>>

/** Source: statfs(2), TMPFS_MAGIC. */
const memoryFileSystem = 0x01021994

/** Milliseconds after which somebody who asks in vain says so: before the hold of a dead request on its key would end by itself. */
const maxWait = 50_000

/** Creates a passport, asking again under the same key until it is acknowledged. @returns its id */
async function create(api: Client, product: string, isOver: () => boolean): Promise<string> {
  const serialNumber = randomUUID()
  const headers = { 'idempotency-key': serialNumber }
  const end = performance.now() + maxWait
  for (;;) {
    const answer = await api
      .post('/v1/dpp/passports', { product, fields: { serialNumber } }, { headers })
      .catch(() => undefined)
    if (answer?.status === 201) return String(answer.body['id'])
    const isLater = answer === undefined || answer.status === 503 || answer.status === 409
    if (!isLater) throw new Error(`${answer.status} ${answer.text}`)
    if (performance.now() > end)
      throw new Error(`No passport within ${maxWait / 1000} s: ${answer?.text ?? 'no answer'}, over: ${isOver()}`)
    await sleep(20)
  }
}
