import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import type { NewChainRecord, NewPointsOperation, NewTokenOperation } from '../../../core/chains/port.ts'
import type { Network } from '../../../core/chains/networks.ts'
import { startDatabaseServer, type DatabaseServer } from '../database/database-server.ts'
import { createTestEnvironment } from '../environment.ts'
import { startNode } from '../node.ts'
import { removeFolder, createTemporaryFolder } from '../folders.ts'
import { createSenderRig } from './sender-rig.ts'

/** The owner of the contracts that the rig's signer deploys: the second account of the development node. */
export const contractOwner = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

export interface ChainRigOptions {
  /** Flags for the node. */
  nodeFlags?: string[]
  /** The environment variable that holds the node's address. */
  rpcVariable?: string
  /** Starts a proxy that is used in place of the direct way to the node. */
  proxy?: (node: () => string) => Promise<{ url: string; stop(): Promise<void> }>
  env?: NodeJS.ProcessEnv
  log?: Writable
}

/** Starts everything that sending needs, with a database, a node and a signer of its own. */
export async function startChainRig(server: DatabaseServer, options: ChainRigOptions = {}) {
  const [{ url, signerUrl }, node] = await Promise.all([
    server.createDatabase(),
    startNode(...(options.nodeFlags ?? [])),
  ])
  const proxy = await options.proxy?.(() => node.url)
  const folder = createTemporaryFolder()
  const env = createTestEnvironment({
    DATA_DIR: folder,
    DATABASE_URL: url,
    SIGNER_SOCKET: join(folder, 's'),
    SIGNER_SECRET: randomBytes(16).toString('hex'),
    [options.rpcVariable ?? 'ETHEREUM_ANVIL_RPC_URL']: proxy?.url ?? node.url,
    LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
    ...options.env,
  })
  const prefix = (options.rpcVariable ?? 'ETHEREUM_ANVIL_RPC_URL').replace(/_RPC_URL$/, '')
  const signerEnv = {
    [`${prefix}_OWNER`]: contractOwner,
    ...env,
    DATABASE_URL: signerUrl,
    SIGNER_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  }
  const rig = await createSenderRig({ url, env, log: options.log })
  let signer = await rig.startChild('core/signer.ts', signerEnv)
  return {
    ...rig,
    node,
    signerUrl,
    signer: {
      kill: () => rig.killChild(signer),
      /** @param own additional settings for this start */
      async start(own: NodeJS.ProcessEnv = {}) {
        signer = await rig.startChild('core/signer.ts', { ...signerEnv, ...own })
      },
    },
    async stop() {
      await rig.close()
      await proxy?.stop()
      await node.stop()
      await removeFolder(folder)
    },
  }
}
export type ChainRig = Awaited<ReturnType<typeof startChainRig>>

/** Starts one rig for all tests of a suite, on a database server of its own. It is available from the first test on. */
export function useChainRig(options: ChainRigOptions = {}): () => ChainRig {
  let server: DatabaseServer | undefined
  let rig: ChainRig | undefined
  before(async () => {
    server = await startDatabaseServer()
    rig = await startChainRig(server, options)
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

export const toTokenId = (name: string) => `0x${createHash('sha256').update(name).digest('hex')}`

/** Creates mints of one job and, by default, of one new application. */
export function createMints(
  rig: { organization: string },
  count: number,
  series: string,
  application: string = randomUUID(),
  network: Network = 'EthereumAnvil',
): NewTokenOperation[] {
  const job = randomUUID()
  return Array.from({ length: count }, (_, line) => ({
    id: `mint:${series}:${line}`,
    organization: rig.organization,
    application,
    network,
    kind: 'mintToIssuer',
    tokenId: toTokenId(`${series} ${line}`),
    job,
    line,
  }))
}

/** Creates a claim of a new token or, with `transferTo`, of a token that its issuer holds. */
export function createClaim(
  rig: { organization: string },
  kind: 'mintTo' | 'transferTo',
  tokenId: string,
  to: string,
  application: string,
): NewTokenOperation {
  return {
    id: `${kind}:${tokenId}`,
    organization: rig.organization,
    application,
    network: 'EthereumAnvil',
    kind,
    tokenId,
    to,
    job: randomUUID(),
    line: 0,
  }
}

/** Creates an operation that moves a token from the wallet of one person to that of another. */
export function createPassOn(
  rig: { organization: string },
  tokenId: string,
  application: string,
  { id = `passOn:${tokenId}`, from, to, until }: { id?: string; from: string; to: string; until?: Date },
): NewTokenOperation {
  return {
    id,
    organization: rig.organization,
    application,
    network: 'EthereumAnvil',
    kind: 'passOn',
    tokenId,
    to,
    consent: { from, until: until ?? new Date(Date.now() + 3_600_000) },
    job: randomUUID(),
    line: 0,
  }
}

export type AnchorRecord = NewChainRecord & { kind: 'anchor' }

/** Creates anchors whose roots are derived from the name of the series. */
export const createAnchors = (
  rig: { organization: string },
  count: number,
  series: string,
  network: Network = 'EthereumAnvil',
): AnchorRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `anchor:${series}:${index}`,
    organization: rig.organization,
    network,
    kind: 'anchor',
    job: randomUUID(),
    root: toTokenId(`root ${series} ${index}`),
  }))

export interface PointsOptions {
  application: string
  network?: Network
  /** The accounts of the entries, in turn. */
  accounts: readonly string[]
  /** One for each entry. */
  amounts: readonly bigint[]
}

/** Creates entries of points of one job, whose ids are derived from the name of the series. */
export function createPoints(
  rig: { organization: string },
  series: string,
  { application, network = 'EthereumAnvil', accounts, amounts }: PointsOptions,
): NewPointsOperation[] {
  const job = randomUUID()
  return amounts.map((amount, index) => ({
    id: toTokenId(`points ${series} ${index}`),
    organization: rig.organization,
    application,
    network,
    kind: 'postPoints',
    account: accounts[index % accounts.length] ?? '',
    amount,
    job,
  }))
}

/** Creates three records: the first key is registered, the second key replaces it, and the first key is revoked. */
export function createKeyRecords(organization: string, [first, second]: readonly [string, string]): NewChainRecord[] {
  const own = { organization, network: 'EthereumAnvil', job: randomUUID() } as const
  return [
    { ...own, id: `registerKey:${first}`, kind: 'registerKey', key: first },
    { ...own, id: `rotateKey:${second}`, kind: 'rotateKey', key: second, previous: first },
    { ...own, id: `revokeKey:${first}`, kind: 'revokeKey', key: first, compromisedAt: new Date(1.7e12) },
  ]
}
