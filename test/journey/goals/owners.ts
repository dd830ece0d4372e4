import { randomInt } from 'node:crypto'
import { expect } from 'chai'
import { createUniqueName } from '../../core/identity/people.ts'
import { getBody, waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { buildBuyer, buildDescribedPassport, type Buyer, type Shop } from '../../support/world.ts'
import type { Json } from './careful-assistant.ts'
import type { Goal } from './goal.ts'

interface Batch {
  readonly modelNumber: string
  readonly batchNumber: string
  readonly itemNumbers: readonly string[]
  readonly itemIds: readonly string[]
}

/** Builds a model with a batch of items, published and certified. */
async function buildBatch(shop: Shop, items: number): Promise<Batch> {
  const modelNumber = createUniqueName('M')
  const batchNumber = createUniqueName('B')
  const content = { data: { origin: 'PT' }, certifiedPaths: ['origin'] }
  const describe = (product: object) =>
    buildDescribedPassport(shop, { name: 'Kettle', modelNumber, ...product }, content)
  await describe({ idGranularity: 'model' })
  await describe({ idGranularity: 'batch', batchNumber })
  const itemNumbers = Array.from({ length: items }, () => createUniqueName('S'))
  const itemIds: string[] = []
  for (const itemNumber of itemNumbers)
    itemIds.push((await describe({ idGranularity: 'item', batchNumber, itemNumber })).id)
  const started = await shop.api.post(`/v1/dpp/passports/publish?filters[product.modelNumber][eq]=${modelNumber}`)
  expect(started.status, started.text).to.equal(202)
  await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)
  return { modelNumber, batchNumber, itemNumbers, itemIds }
}

/** Lets a buyer claim a passport by its link. */
async function claim(shop: Shop, id: string | undefined): Promise<Buyer> {
  const buyer = await buildBuyer(shop)
  const { body } = await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)
  const claimed = await buyer.post('/v1/dpp/claim/magicToken', { magicToken: body.token })
  expect(claimed.status, claimed.text).to.equal(202)
  const job = await waitForJob(buyer, String(claimed.headers['location']))
  expect(job.status).to.equal('completed')
  return buyer
}

/** Goal d: who owns a thing, and what happened to it. */
export const ownerAndHistory: Goal = {
  letter: 'd',
  title: 'who owns this, and its history',
  async reach({ shop, connect }) {
    const batch = await buildBatch(shop, 1)
    const buyer = await claim(shop, batch.itemIds[0])
    const assistant = await connect()
    const found = await assistant.achieve('find a passport by its number', 'list_dpp_passports', {
      filters: { 'product.itemNumber': { eq: batch.itemNumbers[0] } },
      fields: 'id,product.name,status,mintedTo.address',
    })
    const passport = found.body['data']?.[0] as unknown as Json
    expect(passport['mintedTo']?.['address']).to.equal(buyer.address)
    const history = await assistant.achieve('history of a passport', 'get_dpp_passport_history', {
      id: String(passport['id']),
    })
    const entries = history.body['data'] as unknown as { kind: string; summary: string }[]
    expect(new Set(entries.map(({ kind }) => kind))).to.deep.equal(new Set(['event', 'owner', 'version', 'anchor']))
    expect(entries.some(({ summary }) => summary.includes(buyer.address))).to.equal(true)
    const owners = await shop.api.get(`/v1/dpp/passports/${batch.itemIds[0]}/ownership`)
    expect(getBody<{ to: string }[]>(owners).at(-1)?.to).to.equal(buyer.address)
  },
}

/** Goal e: a batch is suspended, its holders are found, and the suspension is lifted. */
export const recalledBatch: Goal = {
  letter: 'e',
  title: 'recall of a batch: suspend, find holders, lift',
  async reach({ shop, connect }) {
    const batch = await buildBatch(shop, 4)
    const holder = await claim(shop, batch.itemIds[randomInt(4)])
    const assistant = await connect()
    const ofBatch = { 'product.batchNumber': { eq: batch.batchNumber } }
    const found = await assistant.achieve('find a batch', 'list_dpp_passports', {
      filters: { ...ofBatch, 'product.idGranularity': { eq: 'batch' } },
      fields: 'id',
    })
    const change = { id: String(found.body['data']?.[0]?.['id']), purpose: 'suspension', cascade: true }
    await assistant.achieve('suspend a batch', 'set_dpp_passport_status', { ...change, value: true, reason: 'Recall' })
    expect(await countSuspended(shop, batch)).to.equal(batch.itemIds.length)
    const holders = await assistant.achieve('find holders', 'list_dpp_passports', {
      filters: { ...ofBatch, status: { eq: 'claimed' } },
      fields: 'id,product.itemNumber,mintedTo.address',
    })
    const addresses = (holders.body['data'] as unknown as Json[]).map(({ mintedTo }) => String(mintedTo?.['address']))
    expect(addresses).to.deep.equal([holder.address])
    await assistant.achieve('lift a suspension', 'set_dpp_passport_status', {
      ...change,
      value: false,
      reason: 'Checked',
    })
    expect(await countSuspended(shop, batch)).to.equal(0)
  },
}

/** Counts the items whose credential does not verify because it is suspended. */
async function countSuspended({ api }: Shop, { itemIds }: Batch): Promise<number> {
  let suspended = 0
  for (const id of itemIds) {
    const credential = await api.get(`/v1/dpp/passports/${id}/vc.jsonld`)
    expect(credential.status, credential.text).to.equal(200)
    const verified = await api.post('/v1/dpp/credentials/verify', credential.body)
    expect(verified.status, verified.text).to.equal(200)
    const checks = getBody<{ checks: { check: string; ok: boolean | null }[] }>(verified).checks
    if (checks.some(({ check, ok }) => check === 'status' && ok === false)) suspended++
  }
  return suspended
}

/** Goal f: a new key, and the proof that what the old one signed stays good. */
export const rotatedKey: Goal = {
  letter: 'f',
  title: 'rotate the key and prove that an old passport still verifies',
  async reach({ shop, connect }) {
    const {
      itemIds: [id],
    } = await buildBatch(shop, 1)
    const before = await shop.api.get('/v1/dpp/certification-key')
    const assistant = await connect()
    const rotated = await assistant.achieve('rotate the signing key', 'rotate_certification_key')
    expect(rotated.text).to.contain('kid')
    await waitForNewKey(shop, String(before.body.kid))
    const credential = await assistant.achieve('signed credential of a passport', 'get_dpp_passport_vc', { id })
    const verified = await assistant.achieve('verify a credential', 'verify_dpp_credential', {
      body: credential.body,
    })
    expect(verified.body['verified']).to.equal(true)
    const proof = credential.body['proof'] as unknown as { verificationMethod: string }
    expect(proof.verificationMethod).to.contain(String(before.body.publicKeyMultibase))
  },
}

async function waitForNewKey({ api }: Shop, kid: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    const { body } = await api.get('/v1/dpp/certification-key')
    if (body.kid !== kid) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The new key was not active within 60 s')
}
