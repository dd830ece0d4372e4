import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { expect } from 'chai'
import { createApiClient } from '../../support/client.ts'
import { waitForJobEnd, readUntilAnswered } from '../stage/retried-requests.ts'
import {
  createDrafts,
  expectDone,
  readCertifiedBatch,
  openCertifier,
  startPublishing,
  createWholeBatch,
  type Certifier,
} from '../stage/certificates.ts'
import { keepFigures, roundToHundredths } from '../../figures/keep-figures.ts'
import { keepPlatformLines } from '../kills/kills.ts'

const count = Number(process.env['TEST_PASSPORTS'] ?? 10_000)
/** Bytes that a credential is to have, about. */
const size = 3_000

describe(`Certify job of ${count} passports of ${size / 1000} kB`, () => {
  let certifier: Certifier | undefined

  before(async () => {
    certifier = await openCertifier({ env: {} })
  })
  after(() => certifier?.stop())
  afterEach(function () {
    keepPlatformLines(this, certifier?.platform)
  })

  it('are published and certified in both forms by one job, under one root', async () => {
    if (!certifier) throw new Error('there is no platform')
    const { api, platform } = certifier
    // Contracts are deployed and the key is registered once, with the first batch.
    await certify(await createDrafts(certifier, 1), 1)
    const story = 'A bag that was sewn by hand in a small town by the sea. '.repeat(Math.ceil((size - 1_900) / 56))
    const sheet = await createDrafts(certifier, count, { story })
    const begin = Date.now()
    const job = await certify(sheet, count)
    const seconds = (Date.now() - begin) / 1_000
    const found = await readCertifiedBatch(certifier, sheet, job)
    expect(found).to.deep.equal(createWholeBatch(count))
    const { body: list } = await readUntilAnswered(api, `/v1/dpp/passports?filters[product][eq]=${sheet}&pageSize=1`)
    const [one] = list['data'] as unknown as { id: string }[]
    const { body: anchor } = await readUntilAnswered(api, `/v1/dpp/passports/${one?.id}/anchor`)
    const form = async (accept: string) =>
      (await createApiClient({}, platform.api).get(`/v1/dpp/passports/${one?.id}/vc.jsonld`, { headers: { accept } }))
        .text.length
    const bytes = { ld: await form('application/ld+json'), jwt: await form('application/vc+jwt') }
    expect(bytes.ld).to.be.within(size * 0.8, size * 1.5)
    const bare = bareSignatures(bytes.ld)
    keepFigures('proof/certify-batch', {
      command: 'npm run test:long -- test/proof/large/certify-batch.long.ts',
      processors: cpus().length,
      passports: count,
      seconds: roundToHundredths(seconds),
      passportsPerSecond: Math.round(count / seconds),
      credentialBytes: bytes,
      signatures: 2 * count,
      signaturesPerSecond: Math.round((2 * count) / seconds),
      bareEd25519PerSecond: bare,
      anchors: found.anchors,
      proofHashes: (anchor['proof'] as unknown as string[]).length,
      gas: await gasOf(platform.rpc, String(anchor['transactionHash'])),
      residentPeakMB: { api: peak(platform.children.server.pid), worker: peak(platform.children.worker.pid) },
    })
  })

  async function certify(sheet: string, total: number): Promise<string> {
    const { api } = certifier ?? {}
    if (!api) throw new Error('there is no platform')
    const { job } = await startPublishing(api, sheet)
    expectDone(await waitForJobEnd(() => api.get(`/v1/jobs/${job}`)), total)
    return job
  }
}).timeout(900_000)

/** Signatures that this machine makes in a second of as many bytes, with one key and nothing else. */
function bareSignatures(bytes: number): number {
  const { privateKey } = generateKeyPairSync('ed25519')
  const message = randomBytes(bytes)
  const end = Date.now() + 1_000
  let made = 0
  for (; Date.now() < end; made++) sign(null, message, privateKey)
  return made
}

async function gasOf(rpc: string, transaction: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [transaction] })
  const answer = await fetch(rpc, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return Number(((await answer.json()) as { result: { gasUsed: string } }).result.gasUsed)
}

/** Megabytes that a process had at most. Source: proc_pid_status(5). */
function peak(pid: number | undefined): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1000)
}
