import { expect } from 'chai'
import { connectDatabase } from '../../../core/database/connection.ts'
import type { ChildName } from '../../../core/start/platform.ts'
import { createApiClient, type Client, type Json } from '../../support/client.ts'
import { startPlatform, type OwnPlatformOptions } from '../../support/own-platform.ts'
import { readBatchRecords } from '../../support/rows/dpp/certified-passports.ts'
import { waitUntil } from '../../support/processes.ts'
import { waitForJobEnd, postUntilAccepted, readUntilAnswered, readAllPages } from './retried-requests.ts'
import { waitForDeath, type ProcessDeath } from './process-deaths.ts'

/** Named places of publishing and certifying, with the process that dies there and how often it came by before. */
export const killPlaces = [
  { name: 'between two chunks of publishing', point: 'unit.between', nth: 1, process: 'worker' },
  { name: 'signed, not stored', point: 'certify.signed', nth: 2, process: 'worker' },
  { name: 'between two chunks of signing', point: 'unit.between', nth: 4, process: 'worker' },
  { name: 'under a root, not stored', point: 'certify.rooted', nth: 1, process: 'worker' },
  { name: 'the root queued', point: 'certify.anchor-queued', nth: 1, process: 'worker' },
  { name: 'between two portions of keeping on IPFS', point: 'certify.pinned', nth: 2, process: 'worker' },
  { name: "the root's transaction signed", point: 'signature.stored', nth: 1, process: 'signer' },
  { name: "the root's transaction stored", point: 'tx.stored', nth: 1, process: 'worker' },
  { name: "the root's transaction sent", point: 'tx.broadcast', nth: 1, process: 'worker' },
  { name: 'its receipt seen', point: 'tx.receipt', nth: 1, process: 'worker' },
  { name: 'between two chunks of telling', point: 'unit.between', nth: 6, process: 'worker' },
  { name: 'all told, the job not ended', point: 'certify.told', nth: 1, process: 'worker' },
] as const satisfies readonly { name: string; point: string; nth: number; process: ChildName }[]
export type KillPlace = (typeof killPlaces)[number]

/** Enough for two chunks of publishing, three of signing and two of telling. */
export const batchSize = 600

/** What the database and the chain say of one batch. Every number but `passports` and `seconds` has to be right. */
export interface CertifiedBatch {
  passports: number
  /** Roots of the job, how many it had sent to the chain, and how often the chain tells of them. */
  anchors: number
  queued: number
  onChain: number
  /** Passports that have no certificate, or more than one version of it. */
  without: number
  twice: number
  /** Passports whose receipt the chain's contract does not confirm. */
  unproven: number
  wrongEvents: number
}

export async function openCertifier(options: OwnPlatformOptions = {}) {
  const platform = await startPlatform({
    env: { TESSERA_FAULT: 'none' },
    keeperDelays: { maxMs: 200 },
    ...options,
  })
  const db = connectDatabase({ url: platform.database, name: 'test', maxConnections: 2, withoutTimeouts: true })
  const api = createApiClient(platform.apiKey, platform.api)
  return {
    platform,
    api,
    db,
    stop: async () => {
      await db.destroy()
      await platform.stop()
    },
  }
}
export type Certifier = Awaited<ReturnType<typeof openCertifier>>

/** A sheet of its own with so many drafts. @returns the sheet's id */
export async function createDrafts(
  { api, platform: { application } }: Certifier,
  count: number,
  fields: object = {},
): Promise<string> {
  const made = await api.post('/v1/dpp/products', {
    application,
    network: 'EthereumAnvil',
    name: 'Bag',
    status: 'ACTIVE',
    certifiedPaths: ['serialNumber', 'story'],
    passportsFields: [
      { name: 'serialNumber', type: 'string', required: true },
      { name: 'story', type: 'text' },
    ],
  })
  expect(made.status, made.text).to.equal(201)
  const product = String(made.body['id'])
  const next = Array.from({ length: count }, (_, at) => at)
  const create = async () => {
    for (let at = next.pop(); at !== undefined; at = next.pop()) {
      const { status, text } = await api.post('/v1/dpp/passports', {
        product,
        fields: { serialNumber: `C-${at}`, ...fields },
      })
      expect(status, text).to.equal(201)
    }
  }
  await Promise.all(Array.from({ length: 8 }, create))
  return product
}

/** Publishes and certifies the passports of a sheet. */
export const startPublishing = (api: Client, sheet: string) =>
  postUntilAccepted(api, `/v1/dpp/passports/publish?filters[product][eq]=${sheet}`)

/** Kills a process where the plan says while a batch is published and certified. */
export async function strikeCertifier(
  certifier: Certifier,
  { point, nth, process: name }: { point: string; nth: number; process: ChildName },
) {
  const {
    platform: { children, lines },
    api,
  } = certifier
  const sheet = await createDrafts(certifier, batchSize)
  const { pid } = children[name]
  const from = lines.length
  children[name].arm(`${point}:${nth}`)
  const struck = waitForDeath(() => lines.slice(from), point)
  const { job } = await startPublishing(api, sheet)
  const end = waitForJobEnd(() => api.get(`/v1/jobs/${job}`))
  const [death, done] = await Promise.all([Promise.race([struck.death, end.then(() => null)]), end])
  const now = Date.now()
  struck.stop()
  if (!death) throw new Error(`nothing came to ${point}:${nth}`)
  judgeDeath(death, name, pid)
  await waitUntil(`another ${name} runs`, () => ![undefined, pid].includes(children[name].pid), 30_000)
  await children[name].ready()
  expectDone(done, batchSize)
  return { death, seconds: (now - death.at) / 1000, found: await readCertifiedBatch(certifier, sheet, job) }
}

function judgeDeath(death: ProcessDeath, process: ChildName, pid: number | undefined): void {
  expect({ process: death.process, pid: death.pid }).to.deep.equal({ process, pid })
}

/** What the job has to say in the end. */
export function expectDone(job: Json, count: number): void {
  expect(job).to.deep.include({ status: 'completed', total: count, completed: count, failed: 0, errors: [] })
  expect(job['result']).to.deep.equal({
    published: count,
    skipped: 0,
    certified: count,
    unchanged: 0,
    nothingToCertify: 0,
    failed: 0,
  })
}

/** Holds a batch against the chain: plain JSON-RPC and SHA-256, nothing of what it judges. */
export async function readCertifiedBatch(
  { api, db, platform: { rpc } }: Certifier,
  sheet: string,
  job: string,
): Promise<CertifiedBatch> {
  const passports = await readAllPages(api, `/v1/dpp/passports?filters[product][eq]=${sheet}&pageSize=100`)
  const ids = passports.map(({ id }) => String(id))
  const { versions, roots, queued, wrongEvents } = await readBatchRecords(db, { job, passports: ids })
  const right = (one: Json) =>
    (one['certificationStatus'] as unknown) === 'certified' && (one['contentHash'] as unknown) !== null
  const sample = ids.filter((_, at) => at % Math.ceil(ids.length / 20) === 0)
  const proven = await Promise.all(
    sample.map(async (id) => isProven(rpc, (await readUntilAnswered(api, `/v1/dpp/passports/${id}/anchor`)).body)),
  )
  return {
    passports: ids.length,
    anchors: roots.length,
    queued,
    onChain: await timesOnChain(rpc, roots),
    without: passports.filter((one) => !right(one) || !versions.has(String(one['id']))).length,
    twice: [...versions.values()].filter((count) => count !== 1).length,
    unproven: proven.filter((one) => !one).length,
    wrongEvents,
  }
}

/** What a batch looks like that nothing happened to. */
export const createWholeBatch = (passports: number): CertifiedBatch => ({
  passports,
  anchors: 1,
  queued: 1,
  onChain: 1,
  without: 0,
  twice: 0,
  unproven: 0,
  wrongEvents: 0,
})

async function ask<T>(rpc: string, method: string, params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(rpc, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = (await answer.json()) as { result: T; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}

/** Logs of the whole chain that have one of these words as their only indexed argument. */
async function timesOnChain(rpc: string, roots: readonly string[]): Promise<number> {
  const logs = await ask<unknown[]>(rpc, 'eth_getLogs', [
    { fromBlock: '0x0', toBlock: 'latest', topics: [null, roots] },
  ])
  return logs.length
}

const word = (hex: string) => hex.replace(/^0x/, '').padStart(64, '0')
/** The first four bytes of the keccak-256 of `verify(bytes32,bytes32,bytes32[])`. */
const verify = '0x3423e548'

/** Whether the contract itself says that the receipt leads to a root of its own. */
export async function isProven(rpc: string, { contract, root, leaf, proof }: Json): Promise<boolean> {
  const hashes = proof as unknown as string[]
  const words = [root, leaf, '0x60', `0x${hashes.length.toString(16)}`, ...hashes].map((one) => word(String(one)))
  return (
    BigInt(await ask<string>(rpc, 'eth_call', [{ to: String(contract), data: `${verify}${words.join('')}` }, 'latest']))
    === 1n
  )
}
