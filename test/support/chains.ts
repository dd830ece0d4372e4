import { spawn, type ChildProcess } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { pino } from 'pino'
import type { NewOperation, NewRecord } from '../../core/chains/chain.ts'
import { chainsOf } from '../../core/chains/chains.ts'
import { startSenders } from '../../core/chains/senders.ts'
import type { Pace } from '../../core/chains/session.ts'
import type { Network } from '../../core/chains/networks.ts'
import { connect } from '../../core/database/connection.ts'
import { up as chainTables } from '../../core/database/migrations/005_chains.ts'
import { up as chainRefusals } from '../../core/database/migrations/011_chain_refusals.ts'
import { up as chainRecords } from '../../core/database/migrations/015_chain_records.ts'
import { up as signerView } from '../../core/database/migrations/033_signer_view.ts'
import { up as contractParts } from '../../core/database/migrations/035_contract_parts.ts'
import { noticesOf } from '../../core/database/notices.ts'
import { readSettings } from '../../core/settings.ts'
import { startDatabaseServer, type DatabaseServer } from './database-server.ts'
import { testEnvironment } from './environment.ts'
import { startNode } from './node.ts'
import { removeFolder, temporaryFolder } from './platform.ts'
import { eventually } from './processes.ts'
import { makeSettlements, takers, type RecordSettlement, type Settlement } from './settlements.ts'

/** Owns what the rig's signer has deployed: the development node's second account. */
export const contractOwner = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

const root = join(import.meta.dirname, '../..')

export interface RigOptions {
  /** Flags of the node. */
  node?: string[]
  /** The variable under which the node is known. */
  rpcName?: string
  /** A way to the node instead of the direct one. */
  proxy?: (node: () => string) => Promise<{ url: string; stop(): Promise<void> }>
  env?: NodeJS.ProcessEnv
  log?: Writable
}

/** Everything that sending needs, on a database and a node of its own. */
export async function startRig(server: DatabaseServer, options: RigOptions = {}) {
  const [{ url, signerUrl }, node] = await Promise.all([server.database(), startNode(...options.node ?? [])])
  const proxy = await options.proxy?.(() => node.url)
  const folder = temporaryFolder()
  const env = testEnvironment({
    DATA_DIR: folder, DATABASE_URL: url,
    SIGNER_SOCKET: join(folder, 's'), SIGNER_SECRET: randomBytes(16).toString('hex'),
    [options.rpcName ?? 'ETHEREUM_ANVIL_RPC_URL']: proxy?.url ?? node.url,
    LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent', ...options.env,
  })
  const prefix = (options.rpcName ?? 'ETHEREUM_ANVIL_RPC_URL').replace(/_RPC_URL$/, '')
  const signerEnv = {
    [`${prefix}_OWNER`]: contractOwner, ...env, DATABASE_URL: signerUrl,
    SIGNER_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  }
  const settings = readSettings(env)
  const log = pino({ level: settings.logLevel }, options.log ?? pino.destination({ fd: 2, sync: true }))
  const db = connect({ url, name: 'test', max: 5 })
  await chainTables(db)
  await chainRefusals(db)
  await chainRecords(db)
  await signerView(db)
  await contractParts(db)
  await makeSettlements(db)
  const notices = noticesOf({ url, log })
  const chains = chainsOf({ settings, notices })
  const children = new Set<ChildProcess>()
  let stopped = false
  const child = async (file: string, own: NodeJS.ProcessEnv) => {
    if (stopped) throw new Error('the test is over')
    const stdio = ['ignore' as const, 'ignore' as const, 'inherit' as const, 'ipc' as const]
    const started = spawn(process.execPath, [join(root, file)], { env: own, stdio })
    children.add(started)
    const exited = once(started, 'exit')
    const [message] = await Promise.race([once(started, 'message'), exited]) as [{ ready?: boolean } | number]
    if (typeof message !== 'object') throw new Error(`${file} ended before it was ready`)
    return { process: started, exited }
  }
  let signer = await child('core/signer.ts', signerEnv)
  const end = async (one: { process: ChildProcess; exited: Promise<unknown> }) => {
    one.process.kill('SIGKILL')
    await one.exited
    children.delete(one.process)
  }
  const stops: (() => Promise<void>)[] = []
  const organization = randomUUID()

  const rig = {
    db, node, chains, settings, env, signerUrl, organization,
    signer: {
      kill: () => end(signer),
      /** @param own settings of this start */
      async start(own: NodeJS.ProcessEnv = {}) { signer = await child('core/signer.ts', { ...signerEnv, ...own }) },
    },
    /** Senders in this process. */
    send(pace: Partial<Pace> = {}) {
      if (stopped) throw new Error('the test is over')
      const senders = startSenders({ settings, notices, log }, takers, pace)
      stops.push(() => senders.stop())
      return senders
    },
    /** Senders in a process of their own, which ends itself at a fault point. */
    async sendInChild(fault?: string) {
      const armed = fault === undefined ? {} : { TESSERA_FAULT: fault }
      const started = await child('test/support/children/sender.ts', { ...env, ...armed })
      return { ...started, kill: () => end(started) }
    },
    async queue(operations: readonly NewOperation[]) {
      await db.transaction((trx) => chains.queue(trx, 'Demo collection', operations))
      for (const { network } of operations.slice(0, 1)) chains.ring(network)
    },
    record: (records: readonly NewRecord[]) => db.transaction((trx) => chains.record(trx, records)),
    settlements: (): Promise<Settlement[]> => db('settlements').select('*'),
    /** What became of these operations, once each has an outcome (again: at least so many times). */
    async outcomes(ids: readonly string[], patience = 45_000, times = 1): Promise<Settlement[]> {
      const read = () => db<Settlement>('settlements').whereIn('operation', ids).where('times', '>=', times)
      await eventually(`${ids.length} operations have an outcome`, async () =>
        (await read().select('operation')).length === ids.length, patience)
      const found = new Map((await read().select('*')).map((one) => [one.operation, one as Settlement]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },
    /** The same of records. */
    async recorded(records: readonly { id: string }[], times = 1): Promise<RecordSettlement[]> {
      const ids = records.map(({ id }) => id)
      const read = () => db<RecordSettlement>('record_settlements').whereIn('operation', ids).where('times', '>=', times)
      await eventually(`${ids.length} records have an outcome`, async () =>
        (await read().select('operation')).length === ids.length, 45_000)
      const found = new Map((await read().select('*')).map((one) => [one.operation, one as RecordSettlement]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },
    async outcome(id: string): Promise<Settlement> {
      const [found] = await rig.outcomes([id])
      if (!found) throw new Error(`${id} has no outcome`)
      return found
    },
    async stop() {
      stopped = true
      for (const stop of stops) await stop()
      await notices.close()
      for (const one of children) one.kill('SIGKILL')
      await db.destroy()
      await proxy?.stop()
      await node.stop()
      await removeFolder(folder)
    },
  }
  return rig
}
export type Rig = Awaited<ReturnType<typeof startRig>>

/** One rig for all tests of a suite, on a database server of its own. It is there from the first test on. */
export function useRig(options: RigOptions = {}): () => Rig {
  let server: DatabaseServer | undefined
  let rig: Rig | undefined
  before(async () => {
    server = await startDatabaseServer()
    rig = await startRig(server, options)
  })
  after(async () => {
    await rig?.stop()
    await server?.stop()
  })
  return () => {
    if (!rig) throw new Error('the rig is not there yet')
    return rig
  }
}

export const tokenOf = (name: string) => `0x${createHash('sha256').update(name).digest('hex')}`

/** Mints of one application and job, unless told otherwise. */
export function mints(
  rig: { organization: string }, count: number, series: string,
  application: string = randomUUID(), network: Network = 'EthereumAnvil',
): NewOperation[] {
  const job = randomUUID()
  return Array.from({ length: count }, (_, line) => ({
    id: `mint:${series}:${line}`, organization: rig.organization, application, network, kind: 'mintToIssuer',
    tokenId: tokenOf(`${series} ${line}`), job, line,
  }))
}

/** A claim of a token that does not exist yet, or, with `transferTo`, of one that its issuer has. */
export function claim(
  rig: { organization: string }, kind: 'mintTo' | 'transferTo', tokenId: string, to: string, application: string,
): NewOperation {
  return {
    id: `${kind}:${tokenId}`, organization: rig.organization, application, network: 'EthereumAnvil', kind, tokenId, to,
    job: randomUUID(), line: 0,
  }
}

export type AnchorRecord = NewRecord & { kind: 'anchor' }

/** Anchors of roots made of a series' name. */
export const anchors = (
  rig: { organization: string }, count: number, series: string, network: Network = 'EthereumAnvil',
): AnchorRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `anchor:${series}:${index}`, organization: rig.organization, network, kind: 'anchor',
    job: randomUUID(), root: tokenOf(`root ${series} ${index}`),
  }))

/** The first of two keys is registered, the second takes its place, the first is revoked. */
export function keyRecords(organization: string, [first, second]: readonly [string, string]): NewRecord[] {
  const own = { organization, network: 'EthereumAnvil', job: randomUUID() } as const
  return [
    { ...own, id: `registerKey:${first}`, kind: 'registerKey', key: first },
    { ...own, id: `rotateKey:${second}`, kind: 'rotateKey', key: second, previous: first },
    { ...own, id: `revokeKey:${first}`, kind: 'revokeKey', key: first, compromisedAt: new Date(1.7e12) },
  ]
}
