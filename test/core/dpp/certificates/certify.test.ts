import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { waitUntil } from '../../../support/processes.ts'
import type { Anchor, MintJob, Passport } from '../../../../core/features/dpp/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { startRefusedCertify } from '../../../support/dpp/certify-jobs.ts'
import { damageKeys } from '../../../support/rows/certification/key-faults.ts'
import { hastenLastAttempts } from '../../../support/rows/queue/due-jobs.ts'
import { getOperator } from '../../identity/people.ts'
import { buildKey, buildPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import {
  getBody,
  waitForJob,
  listEventTypes,
  listFaultPaths,
  readPassport,
  formatVerdict,
} from '../passports/fixtures.ts'

const certified = { certifiedPaths: ['serialNumber', 'origin.country'] }

describe('POST /v1/dpp/passports/certify', () => {
  let shop: Shop
  let sheet: string

  beforeEach(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop, certified)
  })

  /** The job of a request once it has ended. */
  async function job(path: string): Promise<MintJob> {
    const { status, body, headers, text } = await shop.api.post(`/v1/dpp/passports/${path}`)
    expect(status, text).to.equal(202)
    expect(headers['location']).to.equal(`/v1/jobs/${body.jobId}`)
    return waitForJob(shop.api, `/v1/jobs/${body.jobId}`)
  }
  const some = (count: number, more: object = {}) =>
    Promise.all(Array.from({ length: count }, () => buildPassport(shop, sheet, more)))
  const anchorOf = async (id: string) => getBody<Anchor>(await createApiClient().get(`/v1/dpp/passports/${id}/anchor`))
  const patch = async (id: string, change: object) => {
    const answer = await shop.api.patch(`/v1/dpp/passports/${id}`, change)
    expect(answer.status, answer.text).to.equal(200)
    return getBody<Passport>(answer)
  }
  /** The passport once it waits for no job any more. */
  async function settled(id: string): Promise<Passport> {
    for (;;) {
      const shown = await readPassport(shop.api, id)
      if (shown.certificationStatus !== 'pending') return shown
      await sleep(30)
    }
  }

  it('comes with publishing: signed, anchored under one root, and told', async () => {
    const made = await some(3)
    const bare = await buildPassport(shop, await buildSheet(shop))
    const done = await job('publish')
    expect(done).to.deep.include({
      type: 'publish',
      status: 'completed',
      total: 4,
      completed: 4,
      failed: 0,
      errors: [],
    })
    expect(done.result).to.deep.equal({
      published: 4,
      skipped: 0,
      certified: 3,
      unchanged: 0,
      nothingToCertify: 1,
      failed: 0,
    })
    const anchors: Anchor[] = []
    for (const { id, tokenId } of made) {
      const shown = await readPassport(shop.api, id)
      expect(shown).to.include({ status: 'published', certificationStatus: 'certified' })
      expect(shown.certifyJob).to.deep.equal({ id: done.id, status: 'completed' })
      expect(shown.contentHash).to.match(/^0x[0-9a-f]{64}$/)
      expect(shown.ipfsCid).to.match(/^bafkrei[a-z2-7]{52}$/)
      expect(new Date(String(shown.certifiedAt)).getTime()).to.be.greaterThan(Date.now() - 60_000)
      expect(await listEventTypes(shop, id)).to.deep.equal(['create', 'publish', 'update'])
      expect(shown.tokenId).to.equal(tokenId)
      anchors.push(await anchorOf(id))
    }
    expect(anchors.map(({ network, caip2 }) => `${network} ${caip2}`)).to.deep.equal(
      made.map(() => 'EthereumAnvil eip155:31337'),
    )
    expect(new Set(anchors.map(({ root, transactionHash }) => `${root} ${transactionHash}`)).size).to.equal(1)
    expect(new Set(anchors.map(({ leaf }) => leaf)).size).to.equal(3)
    expect(anchors[0]).to.include({ network: 'EthereumAnvil' })
    expect(await readPassport(shop.api, bare.id)).to.deep.include({
      certificationStatus: 'none',
      certifyJob: null,
      contentHash: null,
    })
    expect(formatVerdict(await shop.api.get(`/v1/dpp/passports/${bare.id}/anchor`))).to.equal('404 NOT_FOUND')
  })

  it('is left out on request and made up for later, without what is a draft or certified as it is', async () => {
    const [one, two] = await some(2, { reference: undefined })
    expect((await job('publish?skipCertification=true')).result).to.deep.equal({ published: 2, skipped: 0 })
    expect(await readPassport(shop.api, one?.id)).to.deep.include({ certificationStatus: 'none', certifyJob: null })
    const draft = await buildPassport(shop, sheet)
    const first = await job(`certify?filters[id][eq]=${one?.id}`)
    expect(first).to.deep.include({ type: 'certify', status: 'completed', total: 1, completed: 1 })
    expect(first.result).to.deep.equal({ certified: 1, unchanged: 0, nothingToCertify: 0, skipped: 0, failed: 0 })
    const rest = await job('certify')
    expect(rest).to.deep.include({ total: 1, completed: 1 })
    expect((await readPassport(shop.api, two?.id)).certificationStatus).to.equal('certified')
    const again = await job(`certify?filters[product][eq]=${sheet}`)
    expect(again).to.include({ total: 3, completed: 3, failed: 0 })
    expect(again.result).to.deep.equal({ certified: 0, unchanged: 2, nothingToCertify: 0, skipped: 1, failed: 0 })
    expect(await readPassport(shop.api, draft.id)).to.deep.include({ certificationStatus: 'none', status: 'draft' })
    expect((await readPassport(shop.api, one?.id)).certifyJob?.id).to.equal(first.id)
  })

  it('is done again when a certified value changes, and only then', async () => {
    const [made] = await some(1)
    const id = String(made?.id)
    await job('publish')
    const before = await readPassport(shop.api, id)
    await patch(id, { fields: { color: 'red' }, reference: 'another', allowedClaimEmail: 'buyer@people.example' })
    expect(await readPassport(shop.api, id)).to.deep.include({
      certifyJob: before.certifyJob,
      certificationStatus: 'certified',
    })
    const changed = await patch(id, { fields: { origin: { country: 'FR' } } })
    expect(changed).to.include({ certificationStatus: 'pending', contentHash: before.contentHash })
    expect(changed.certifyJob?.id).not.to.equal(before.certifyJob?.id)
    const after = await settled(id)
    expect(after).to.include({ certificationStatus: 'certified' })
    expect(after.contentHash).not.to.equal(before.contentHash)
    await patch(id, { fields: { origin: { country: null } } })
    expect((await settled(id)).contentHash).to.equal(before.contentHash)
  })

  it('follows five changes in a row to the last one', async () => {
    const [made] = await some(1)
    const id = String(made?.id)
    await job('publish')
    for (const country of ['FR', 'IT', 'ES', 'PT', 'BE']) await patch(id, { fields: { origin: { country } } })
    const after = await settled(id)
    expect(after.certificationStatus).to.equal('certified')
    const [other] = await some(1, {
      fields: { serialNumber: after.fields?.['serialNumber'], origin: { country: 'BE' } },
    })
    await job('publish')
    expect((await readPassport(shop.api, other?.id)).contentHash).not.to.equal(null)
    expect((await anchorOf(id)).anchoredAt <= String(after.certifiedAt)).to.equal(true)
  })

  it('keeps the certificate of a change that is taken back at once', async () => {
    const [made] = await some(1)
    const id = String(made?.id)
    await job('publish')
    const before = await readPassport(shop.api, id)
    for (let round = 0; round < 4; round++) {
      await patch(id, { fields: { origin: { country: 'FR' } } })
      await patch(id, { fields: { origin: null } })
      const after = await settled(id)
      expect(after).to.include({ certificationStatus: 'certified', contentHash: before.contentHash })
    }
  })

  it('ends where nothing is left to certify', async () => {
    const [made] = await some(1)
    const id = String(made?.id)
    await job('publish')
    expect((await shop.api.patch(`/v1/dpp/products/${sheet}`, { certifiedPaths: [] })).status).to.equal(200)
    await waitUntil(
      'it is not certified any more',
      async () => (await readPassport(shop.api, id)).certificationStatus === 'none',
    )
    expect(await readPassport(shop.api, id)).to.deep.include({
      certificationStatus: 'none',
      contentHash: null,
      certifiedAt: null,
      ipfsCid: null,
    })
    expect(formatVerdict(await createApiClient().get(`/v1/dpp/passports/${id}/anchor`))).to.equal('404 NOT_FOUND')
    expect(await listEventTypes(shop, id)).to.deep.equal(['create', 'publish', 'update', 'update'])
  })

  it('is done again for every passport of a sheet whose own certified values change', async () => {
    const made = await some(3)
    await job('publish')
    const before = await Promise.all(made.map(({ id }) => readPassport(shop.api, id)))
    expect((await shop.api.patch(`/v1/dpp/products/${sheet}`, { name: 'Another bag' })).status).to.equal(200)
    const after = await Promise.all(
      made.map(async ({ id }) => {
        for (;;) {
          const shown = await settled(id)
          if (shown.contentHash !== before.find((one) => one.id === id)?.contentHash) return shown
        }
      }),
    )
    expect(new Set(after.map(({ certifyJob }) => certifyJob?.id)).size).to.equal(1)
    expect(after.map(({ certificationStatus }) => certificationStatus)).to.deep.equal([
      'certified',
      'certified',
      'certified',
    ])
  })

  it('keeps no copy of a certificate that the organization hosts, and anchors its hash', async () => {
    const [made] = await some(1, { certificateUri: 'https://certificates.example/one' })
    await job('publish')
    const shown = await readPassport(shop.api, made?.id)
    expect(shown).to.include({ certificationStatus: 'certified', ipfsCid: null })
    expect(shown.contentHash).to.match(/^0x[0-9a-f]{64}$/)
    expect((await anchorOf(shown.id)).root).to.match(/^0x[0-9a-f]{64}$/)
  })

  it('is refused on a network that nothing can be sent on, and so is publishing with it', async () => {
    const far = await buildSheet(shop, { ...certified, network: 'BaseSepolia' })
    const { id } = await buildPassport(shop, far)
    const refused = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
    expect([formatVerdict(refused), listFaultPaths(refused)]).to.deep.equal(['422 VALIDATION_FAILED', ['network']])
    expect((await readPassport(shop.api, id)).status).to.equal('draft')
    expect((await job(`publish?skipCertification=true&filters[id][eq]=${id}`)).result).to.deep.equal({
      published: 1,
      skipped: 0,
    })
    const again = await shop.api.post(`/v1/dpp/passports/certify?filters[id][eq]=${id}`)
    expect([formatVerdict(again), listFaultPaths(again)]).to.deep.equal(['422 VALIDATION_FAILED', ['network']])
  })

  it('certifies each passport once, however many ask at once', async () => {
    const made = await some(12)
    await job('publish?skipCertification=true')
    const jobs = await Promise.all(Array.from({ length: 5 }, () => job(`certify?filters[product][eq]=${sheet}`)))
    const sum = (name: string) => jobs.reduce((count, { result }) => count + Number(result?.[name]), 0)
    expect([sum('certified'), sum('unchanged')]).to.deep.equal([12, 48])
    for (const { id } of made) {
      expect((await readPassport(shop.api, id)).certificationStatus).to.equal('certified')
      expect(await listEventTypes(shop, id)).to.deep.equal(['create', 'publish', 'update'])
    }
  })

  it('leaves nothing pending when the job fails for good, and is made up for by another', async () => {
    const { db } = await getOperator()
    const [made] = await some(1)
    const id = String(made?.id)
    await createApiClient(shop.key).get('/v1/dpp/certification-key')
    const repairKeys = await damageKeys(db, shop.organization)
    const {
      body: { jobId },
    } = await shop.api.post('/v1/dpp/passports/publish')
    for (;;) {
      const hastened = await hastenLastAttempts(db, shop.organization)
      if (hastened === 0 && (await shop.api.get(`/v1/jobs/${jobId}`)).body.status === 'failed') break
      await sleep(100)
    }
    expect(await readPassport(shop.api, id)).to.deep.include({
      status: 'published',
      certificationStatus: 'error',
      certifyJob: { id: String(jobId), status: 'failed', error: 'The job could not be carried out.' },
    })
    expect(
      getBody<{ total: number }>(await shop.api.get('/v1/dpp/passports?filters[certifyJob.status][eq]=failed')).total,
    ).to.equal(1)
    await repairKeys()
    expect((await job('certify')).result).to.deep.include({ certified: 1 })
    expect((await readPassport(shop.api, id)).certificationStatus).to.equal('certified')
  })

  it('tells each passport when the chain refuses the root', async () => {
    const made = await some(2)
    await job('publish?skipCertification=true')
    const jobId = await startRefusedCertify(await getOperator(), {
      organization: shop.organization,
      passports: made.map(({ id }) => id),
      reason: 'The contract refused it.',
    })
    const done = await waitForJob(shop.api, `/v1/jobs/${jobId}`)
    expect(done).to.deep.include({ status: 'failed', total: 2, completed: 0, failed: 2 })
    expect(done.errors.slice(0, 2)).to.deep.equal(
      [0, 1].map((line) => ({ line, code: 'CERTIFY_FAILED', message: 'The contract refused it.' })),
    )
    for (const { id } of made) {
      expect(await readPassport(shop.api, id)).to.deep.include({
        certificationStatus: 'error',
        contentHash: null,
        certifyJob: { id: jobId, status: 'failed', error: 'The contract refused it.' },
      })
    }
    expect((await job('certify')).result).to.deep.include({ certified: 2 })
  })

  it('needs the permission to update, the filters of the list, and no body', async () => {
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read', 'create'] })).key)
    expect(formatVerdict(await reader.post('/v1/dpp/passports/certify'))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(formatVerdict(await shop.api.post('/v1/dpp/passports/certify?filters[nothing][eq]=1'))).to.equal(
      '400 INVALID_FILTER',
    )
    expect(formatVerdict(await shop.api.post('/v1/dpp/passports/certify', { filters: [] }))).to.equal(
      '422 VALIDATION_FAILED',
    )
  })

  it('shows an anchor to whoever sees the passport', async () => {
    const [made] = await some(1)
    expect(formatVerdict(await createApiClient().get(`/v1/dpp/passports/${made?.id}/anchor`))).to.equal('404 NOT_FOUND')
    await job('publish')
    const answer = await createApiClient().get(`/v1/dpp/passports/${made?.id}/anchor`, {
      headers: { origin: 'https://verifier.example' },
    })
    expect(answer.headers['access-control-allow-origin']).to.equal('*')
    await patch(String(made?.id), { status: 'archived' })
    expect((await createApiClient().get(`/v1/dpp/passports/${made?.id}/anchor`)).status).to.equal(200)
  })
})
