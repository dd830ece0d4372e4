import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Knex } from 'knex'
import type { MintJob, Passport } from '../../../../core/features/dpp/index.ts'
import { createApiClient } from '../../../support/client.ts'
import {
  areContextsAwaited,
  holdAnchors,
  holdContexts,
  holdNewJobs,
  refuseCertificates,
} from '../../../support/database/held-writes.ts'
import { queueCertifyingPublish } from '../../../support/dpp/certify-jobs.ts'
import { countAnchoredAfterRotation } from '../../../support/rows/dpp/anchors.ts'
import {
  countCertificates,
  countStatusPlaces,
  listCertificateKeys,
  listKeptCopies,
  readStatusBits,
} from '../../../support/rows/dpp/certificates.ts'
import { assignCertifyJob, removeCertificate } from '../../../support/rows/dpp/passports.ts'
import { hastenJob, hastenLastAttempts } from '../../../support/rows/queue/due-jobs.ts'
import { getOperator } from '../../identity/people.ts'
import { getBody, waitForJob, listEventTypes, readPassport } from '../passports/fixtures.ts'
import { buildCertifiedPassport, buildPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { getCredentialPath, createBody } from '../../certification/credentials/certified.ts'
import { waitUntil } from '../../../support/processes.ts'

const country = (value: string | null) => ({ fields: { origin: { country: value } } })

describe('Certify job: changes while it runs', () => {
  let shop: Shop
  let sheet: string
  let db: Knex

  beforeEach(async () => {
    ;({ db } = await getOperator())
    shop = await buildShop()
    sheet = await buildSheet(shop, { certifiedPaths: ['serialNumber', 'origin.country'] })
  })

  const drafts = (count: number) => Promise.all(Array.from({ length: count }, () => buildPassport(shop, sheet)))
  async function begin(path: string): Promise<string> {
    const { status, body, text } = await shop.api.post(`/v1/dpp/passports/${path}`)
    expect(status, text).to.equal(202)
    return String(body.jobId)
  }
  const finish = (job: string): Promise<MintJob> => waitForJob(shop.api, `/v1/jobs/${job}`)
  const job = async (path: string) => finish(await begin(path))
  async function patch(id: unknown, change: object): Promise<Passport> {
    const answer = await shop.api.patch(`/v1/dpp/passports/${id}`, change)
    expect(answer.status, answer.text).to.equal(200)
    return getBody<Passport>(answer)
  }
  async function settled(id: unknown): Promise<Passport> {
    for (const end = Date.now() + 45_000; ;) {
      const shown = await readPassport(shop.api, id)
      if (shown.certificationStatus !== 'pending') return shown
      if (Date.now() > end) throw new Error(`pending for ever: ${JSON.stringify(shown.certifyJob)}`)
      await sleep(30)
    }
  }
  const subjectOf = async (id: unknown) => {
    const { body, status, text } = await createApiClient().get(getCredentialPath(id))
    expect(status, text).to.equal(200)
    return getBody<{
      credentialSubject: { id: string; name: string; characteristics: { origin?: { country?: string } } }
    }>({ body } as never).credentialSubject
  }

  /** Jobs of the shop that begin meanwhile do not run before the end. */
  async function beforeJobs<T>(work: () => Promise<T>): Promise<T> {
    const release = await holdNewJobs(db, shop.organization)
    try {
      return await work()
    } finally {
      await release()
    }
  }

  /** Certificates are signed meanwhile, and none comes under a root. @param count of versions of the shop that are awaited */
  async function beforeRoots<T>(start: () => Promise<unknown>, count: number, work: () => Promise<T>): Promise<T> {
    const release = await holdAnchors(db)
    try {
      await start()
      await signed(count)
      return await work()
    } finally {
      await release()
    }
  }
  async function signed(count: number): Promise<void> {
    while ((await countCertificates(db, shop.organization)) < count) await sleep(20)
  }

  it('leaves no passport waiting that is archived before it is signed', async () => {
    const [one, two] = await drafts(2)
    const done = await beforeJobs(async () => {
      const id = await begin('publish?skipCertification=true')
      await hastenJob(db, id)
      await finish(id)
      const certify = await begin('certify')
      await assignCertifyJob(db, [String(one?.id)], certify)
      await patch(one?.id, { status: 'archived' })
      return certify
    })
    const ending = await finish(done)
    expect(ending).to.include({ status: 'completed', total: 2, completed: 2, failed: 0 })
    expect(ending.result).to.deep.equal({ certified: 1, unchanged: 0, nothingToCertify: 0, skipped: 1, failed: 0 })
    expect(await settled(one?.id)).to.deep.include({
      certificationStatus: 'none',
      certifyJob: { id: done, status: 'completed' },
    })
    expect(await settled(two?.id)).to.include({ certificationStatus: 'certified' })
  })

  it('leaves an archived passport its certificate when a change was taken back, and none when it was not', async () => {
    const made = await drafts(2)
    await job('publish')
    const [back, changed] = made.map(({ id }) => id)
    const { contentHash } = await readPassport(shop.api, back)
    await beforeJobs(async () => {
      for (const id of [back, changed]) await patch(id, country('FR'))
      await patch(back, country(null))
      for (const id of [back, changed]) await patch(id, { status: 'archived' })
    })
    expect(await settled(back)).to.include({ certificationStatus: 'certified', contentHash })
    expect(await settled(changed)).to.include({ certificationStatus: 'none', contentHash: null })
  })

  it('does not call an archived passport certified that says another thing than its certificate', async () => {
    const [one, two] = await drafts(2)
    await job('publish')
    await patch(one?.id, { status: 'archived' })
    expect((await patch(one?.id, country('FR'))).certificationStatus).to.equal('none')
    expect((await patch(two?.id, { status: 'archived', ...country('FR') })).certificationStatus).to.equal('none')
  })

  it('certifies what a sheet says now, when it changes while certificates are signed', async () => {
    const [made] = await drafts(1)
    await job('publish?skipCertification=true')
    // The job has read the sheet by the time that it waits for the contexts.
    const release = await holdContexts(db)
    const running = await begin('certify')
    await waitUntil('the job waits for the contexts', () => areContextsAwaited(db))
    const renamed = shop.api.patch(`/v1/dpp/products/${sheet}`, { name: 'Another bag' })
    await sleep(300)
    await release()
    expect((await renamed).status).to.equal(200)
    await finish(running)
    await waitUntil('it is certified by its new name', async () => (await subjectOf(made?.id)).name === 'Another bag')
    expect((await subjectOf(made?.id)).name).to.equal('Another bag')
    expect((await settled(made?.id)).certificationStatus).to.equal('certified')
  })

  it('tells of a network that nothing can be sent on, when a sheet moves there before its passports are signed', async () => {
    const [made] = await drafts(1)
    const running = await beforeJobs(async () => {
      const publish = await begin('publish')
      expect((await shop.api.patch(`/v1/dpp/products/${sheet}`, { network: 'BaseSepolia' })).status).to.equal(200)
      return publish
    })
    const done = await finish(running)
    expect(done).to.deep.include({ status: 'failed', total: 1, completed: 0, failed: 1 })
    expect(done.errors[0]).to.deep.include({ line: 0, path: 'network', code: 'unusable_network' })
    expect(await settled(made?.id)).to.include({ status: 'published', certificationStatus: 'error' })
  })

  for (const [what, before, after] of [
    ['comes home', 'https://certificates.example/one', null],
    ['leaves', null, 'https://certificates.example/one'],
  ] as const) {
    it(`signs a certificate again that ${what} before its root is there`, async () => {
      const { id } = await buildPassport(shop, sheet, { certificateUri: before })
      await beforeRoots(
        () => begin('publish'),
        1,
        async () => {
          await patch(id, { certificateUri: after })
          await signed(2)
        },
      )
      await settled(id)
      expect(await listKeptCopies(db, id)).to.deep.equal([before === null, after === null])
      if (after === null) expect((await subjectOf(id)).name).to.equal('Bag')
    })
  }

  it('signs again for a product that goes by another identifier, though the content is the same', async () => {
    const product = { ...createBody(shop).product, id: 'https://products.example/one' }
    const id = await buildCertifiedPassport(shop, { product })
    const { contentHash } = await readPassport(shop.api, id)
    await patch(id, { product: { id: 'https://products.example/two' } })
    expect(await settled(id)).to.include({ certificationStatus: 'certified', contentHash })
    const events = await listEventTypes(shop, id)
    expect((await subjectOf(id)).id).to.equal('https://products.example/two')
    expect(events).to.deep.equal(['create', 'publish', 'update', 'update', 'update'])
  })

  it('counts exactly what a publish came to, also what another job certified or nobody could', async () => {
    const made = await drafts(4)
    const [one, two, three] = made.map(({ id }) => id)
    await job('publish')
    await patch(one, { status: 'archived' })
    await removeCertificate(db, String(two))
    expect((await shop.api.delete(`/v1/dpp/passports/${three}`)).status).to.be.oneOf([200, 204])
    const id = await queueCertifyingPublish(await getOperator(), {
      organization: shop.organization,
      passports: made.map(({ id }) => id),
    })
    const done = await finish(id)
    expect(done).to.deep.include({ status: 'completed', failed: 0 })
    expect(done.result).to.deep.equal({
      published: 4,
      skipped: 0,
      certified: 1,
      unchanged: 1,
      nothingToCertify: 0,
      failed: 0,
    })
  })

  it('leaves no event with a passport that is not certified any more when its root is there', async () => {
    const [made] = await drafts(1)
    let publish = ''
    await beforeRoots(
      async () => {
        publish = await begin('publish')
      },
      1,
      async () => {
        expect((await patch(made?.id, { certifiedPaths: ['size'] })).certificationStatus).to.equal('none')
      },
    )
    await finish(publish)
    expect(await listEventTypes(shop, String(made?.id))).to.deep.equal(['create', 'publish', 'update'])
    expect(await readPassport(shop.api, made?.id)).to.include({ certificationStatus: 'none', contentHash: null })
  })

  describe('changes of the certification key', () => {
    const rotate = async () =>
      getBody<{ key: { id: string } }>(await shop.api.post('/v1/dpp/certification-key/rotate')).key.id
    const activeKey = async () => getBody<{ id: string }>(await shop.api.get('/v1/dpp/certification-key')).id
    const revoke = async (id: string, more: object = {}) =>
      expect(
        (await shop.api.post(`/v1/dpp/certification-keys/${id}/revoke`, { reason: 'lost', ...more })).status,
      ).to.equal(200)

    it('has every certificate signed again that a key signed which was revoked before the root was there', async () => {
      const made = await drafts(3)
      const old = await activeKey()
      await beforeRoots(
        () => begin('publish'),
        3,
        () => revoke(old),
      )
      for (const { id } of made) expect((await settled(id)).certificationStatus).to.equal('certified')
      expect((await listCertificateKeys(db, shop.organization)).map(({ status }) => status)).to.deep.equal([
        'active',
        'active',
        'active',
      ])
      expect(await countStatusPlaces(db, shop.organization)).to.equal(3)
      for (const { id } of made) expect(await listEventTypes(shop, id)).to.deep.equal(['create', 'publish', 'update'])
    })

    it('has the status that the passport was given meanwhile, also when it is signed again', async () => {
      const [made] = await drafts(1)
      const old = await activeKey()
      await beforeRoots(
        () => begin('publish'),
        1,
        async () => {
          const set = await shop.api.post(`/v1/dpp/passports/${made?.id}/status`, {
            purpose: 'suspension',
            value: true,
            reason: 'held',
          })
          expect(set.status, set.text).to.equal(200)
          await revoke(old)
        },
      )
      expect((await settled(made?.id)).certificationStatus).to.equal('certified')
      expect(await readStatusBits(db, String(made?.id))).to.deep.equal([
        { purpose: 'revocation', bit: 0 },
        { purpose: 'suspension', bit: 1 },
      ])
    })

    it('has none anchored that its key signed which was rotated away before: not at once, not over a network', async () => {
      const made = await drafts(2)
      const first = await activeKey()
      await beforeRoots(() => begin('publish'), 2, rotate)
      for (const { id } of made) expect((await settled(id)).certificationStatus).to.equal('certified')
      expect((await listCertificateKeys(db, shop.organization)).map(({ id }) => id)).not.to.include(first)
      const second = await activeKey()
      const more = await drafts(2)
      await beforeRoots(() => begin('publish'), 4, rotate)
      for (const { id } of more) expect((await settled(id)).certificationStatus).to.equal('certified')
      expect(await activeKey()).not.to.equal(second)
      expect(await countAnchoredAfterRotation(db, shop.organization)).to.equal(0)
    })

    it('can be certified again as it is once its key is revoked, but for what was anchored before that was known', async () => {
      const [made] = await drafts(1)
      await job('publish')
      const { certifiedAt } = await readPassport(shop.api, made?.id)
      await revoke(await activeKey(), { compromisedAt: certifiedAt })
      const kept = await job(`certify?filters[id][eq]=${made?.id}`)
      expect(kept.result).to.deep.include({ certified: 0, unchanged: 1 })
      await job(`publish?filters[id][eq]=${(await drafts(1))[0]?.id}`)
      await revoke(await activeKey())
      const again = await job(`certify?filters[product][eq]=${sheet}`)
      expect(again.result).to.deep.equal({ certified: 1, unchanged: 1, nothingToCertify: 0, skipped: 0, failed: 0 })
    })
  })

  it('does not call certified what a failed job should have certified again after its sheet changed', async () => {
    const [made] = await drafts(1)
    await job('publish')
    const acceptCertificates = await refuseCertificates(db, shop.organization)
    await shop.api.patch(`/v1/dpp/products/${sheet}`, { name: 'Another bag' })
    for (let left = 300; left > 0; left--) {
      await hastenLastAttempts(db, shop.organization)
      if ((await readPassport(shop.api, made?.id)).certifyJob?.status === 'failed') break
      await sleep(100)
    }
    expect((await readPassport(shop.api, made?.id)).certificationStatus).to.equal('error')
    await acceptCertificates()
    expect((await job('certify')).result).to.deep.include({ certified: 1 })
    expect((await subjectOf(made?.id)).name).to.equal('Another bag')
  })
})
