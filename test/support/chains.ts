import { spawn, type ChildProcess } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import getPort from 'get-port'
import { pino } from 'pino'
import type { NewOperation } from '../../core/chains/chain.ts'
import { chainsOf } from '../../core/chains/chains.ts'
import { startSenders } from '../../core/chains/senders.ts'
import type { Pace } from '../../core/chains/session.ts'
import type { Network } from '../../core/chains/networks.ts'
import { connect } from '../../core/database/connection.ts'
import { up } from '../../core/database/migrations/005_chains.ts'
import { noticesOf } from '../../core/database/notices.ts'
import { asSuperuser } from '../../core/embedded/postgres.roles.ts'
import { clusterOf } from '../../core/embedded/postgres.cluster.ts'
import { startPostgres } from '../../core/embedded/postgres.ts'
import { rpc } from '../../core/embedded/rpc.ts'
import { readSettings } from '../../core/settings.ts'
import { testEnvironment } from './environment.ts'
import { removeFolder, temporaryFolder } from './platform.ts'
import { eventually } from './processes.ts'
import { makeSettlements, settle, type Settlement } from './settlements.ts'

const root = join(import.meta.dirname, '../..')
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** A database server for the files of a test run's chain tests. */
export async function startDatabaseServer() {
  const dataDir = temporaryFolder()
  const server = await startPostgres({ dataDir, durable: false, giveUp: (cause) => { throw cause } })
  const { record } = clusterOf(dataDir)
  const port = Number(new URL(server.url).port)
  let made = 0
  return {
    /** A new database with its two roles' addresses. */
    async database() {
      const name = `chains_${++made}`
      await asSuperuser(record, port, 'postgres', (client) => client.query(`create database ${name} owner tessera`))
      await asSuperuser(record, port, name, (client) => client.query('create schema signer authorization tessera_signer'))
      return { url: renamed(server.url, name), signerUrl: renamed(server.signerUrl, name) }
    },
    async stop() {
      await server.stop()
      await removeFolder(dataDir)
    },
  }
}
export type DatabaseServer = Awaited<ReturnType<typeof startDatabaseServer>>

const renamed = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href

/** An anvil that may be killed and started again on the same port. */
export async function startNode(...flags: string[]) {
  const program = createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/bin/anvil')
  const port = await getPort({ host: '127.0.0.1' })
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  const end = () => { child?.kill('SIGKILL') }
  process.once('exit', end)
  const node = {
    url,
    ask: <T>(method: string, ...params: unknown[]) => rpc<T>(url, method, params),
    signal: (signal: NodeJS.Signals) => child?.kill(signal),
    /** A new chain, unless the flags load one. */
    async start(...own: string[]) {
      child = spawn(program, ['--quiet', '--port', `${port}`, '--enable-tx-gas-limit', ...flags, ...own], { stdio: 'ignore' })
      await eventually('anvil answers', () => node.ask('eth_chainId').then(() => true, () => false))
    },
    async kill() {
      const gone = child && child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      end()
      await gone
    },
    async stop() {
      process.off('exit', end)
      await node.kill()
    },
    /** How often each token was minted, by every contract of the chain, and how often it moved. */
    async transfers() {
      const logs = await node.ask<{ topics: string[] }[]>('eth_getLogs', { fromBlock: '0x0', topics: [transferTopic] })
      const count = (wanted: boolean) => {
        const counts = new Map<string, number>()
        for (const { topics: [, from = '', , token = ''] } of logs) {
          if (/^0x0+$/.test(from) === wanted) counts.set(token, (counts.get(token) ?? 0) + 1)
        }
        return counts
      }
      return { mints: count(true), moves: count(false) }
    },
  }
  await node.start()
  return node
}
export type Node = Awaited<ReturnType<typeof startNode>>

/** Everything that sending needs, on a database and a node of its own. */
export async function startRig(server: DatabaseServer, options: { node?: string[]; rpcName?: string; env?: NodeJS.ProcessEnv } = {}) {
  const [{ url, signerUrl }, node] = await Promise.all([server.database(), startNode(...options.node ?? [])])
  const folder = temporaryFolder()
  const env = testEnvironment({
    DATA_DIR: folder, DATABASE_URL: url, SIGNER_SOCKET: join(folder, 's'), SIGNER_SECRET: randomBytes(16).toString('hex'),
    [options.rpcName ?? 'ETHEREUM_ANVIL_RPC_URL']: node.url, LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent', ...options.env,
  })
  const signerEnv = { ...env, DATABASE_URL: signerUrl, KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
  const settings = readSettings(env)
  const log = pino({ level: settings.logLevel }, pino.destination({ fd: 2, sync: true }))
  const db = connect({ url, name: 'test', max: 5 })
  await up(db)
  await makeSettlements(db)
  const notices = noticesOf({ url, log })
  const chains = chainsOf({ settings, notices })
  const children = new Set<ChildProcess>()
  let stopped = false
  const child = async (file: string, own: NodeJS.ProcessEnv) => {
    if (stopped) throw new Error('the test is over')
    const started = spawn(process.execPath, [join(root, file)], { env: own, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
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
      async start() { signer = await child('core/signer.ts', signerEnv) },
    },
    /** Senders in this process. */
    send(pace: Partial<Pace> = {}) {
      const senders = startSenders({ settings, notices, log }, settle, pace)
      stops.push(() => senders.stop())
      return senders
    },
    /** Senders in a process of their own, which ends itself at a fault point. */
    async sendInChild(fault?: string) {
      const started = await child('test/support/children/sender.ts', { ...env, ...(fault === undefined ? {} : { TESSERA_FAULT: fault }) })
      return { ...started, kill: () => end(started) }
    },
    async queue(operations: readonly NewOperation[]) {
      await db.transaction((trx) => chains.queue(trx, 'Demo collection', operations))
      for (const { network } of operations.slice(0, 1)) chains.ring(network)
    },
    settlements: (): Promise<Settlement[]> => db('settlements').select('*'),
    /** What became of these operations, once each has an outcome (again: at least so many times). */
    async outcomes(ids: readonly string[], patience = 20_000, times = 1): Promise<Settlement[]> {
      const read = () => db<Settlement>('settlements').whereIn('operation', ids).where('times', '>=', times)
      await eventually(`${ids.length} operations have an outcome`, async () =>
        (await read().select('operation')).length === ids.length, patience)
      const found = new Map((await read().select('*')).map((one) => [one.operation, one as Settlement]))
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
      await node.stop()
      await removeFolder(folder)
    },
  }
  return rig
}
export type Rig = Awaited<ReturnType<typeof startRig>>

export const tokenOf = (name: string) => `0x${createHash('sha256').update(name).digest('hex')}`

/** Mints of one application and job, unless told otherwise. */
export function mints(
  rig: { organization: string }, count: number, series: string, application: string = randomUUID(), network: Network = 'EthereumAnvil',
): NewOperation[] {
  const job = randomUUID()
  return Array.from({ length: count }, (_, line) => ({
    id: `mint:${series}:${line}`, organization: rig.organization, application, network, kind: 'mintToIssuer',
    tokenId: tokenOf(`${series} ${line}`), job, line,
  }))
}

/** A claim of a token that does not exist yet, or, with `transferTo`, of one that its issuer has. */
export function claim(rig: { organization: string }, kind: 'mintTo' | 'transferTo', tokenId: string, to: string, application: string): NewOperation {
  return {
    id: `${kind}:${tokenId}`, organization: rig.organization, application, network: 'EthereumAnvil', kind, tokenId, to,
    job: randomUUID(), line: 0,
  }
}
