import { expect } from 'chai'
import { createApiClient } from '../../../support/client.ts'
import { runImport, createItemRow } from '../../imports/engine/job.maker.ts'
import { getBody, waitForJob, createSerial, listOwners, readPassport } from '../../dpp/passports/fixtures.ts'
import {
  buildMember,
  buildProductPassport,
  buildSheet,
  buildShop,
  type Buyer,
  type Shop,
} from '../../../support/world.ts'
import { mentionInImportErrors } from '../../../support/rows/imports/mentions.ts'
import { mentionInJob } from '../../../support/rows/queue/job-changes.ts'
import { publishPassports } from '../../dpp/passports/products.ts'
import {
  readCodeFor,
  enablePhones,
  createEmail,
  createPhone,
  getOperator,
  signInBuyer,
  signInMember,
  createUniqueName,
} from '../../identity/people.ts'
import { admin, beginRows, done, namedIn } from './persons.admin.ts'

async function claim(buyer: Buyer, passport: string): Promise<void> {
  const started = await buyer.post(
    '/v1/dpp/claim',
    { passport },
    { headers: { 'idempotency-key': createUniqueName('claim') } },
  )
  expect(started.status, started.text).to.equal(202)
  expect((await waitForJob(buyer, `/v1/dpp/claim/${started.body.jobId}/status`)).status).to.equal('completed')
}

describe('admin person export and admin person erase', function () {
  // Each command reads every table, which the tests of a whole run have filled.
  this.timeout(480_000)
  let shop: Shop
  before(async () => {
    await beginRows()
    shop = await buildShop()
  })

  /** Leaves an address wherever an API takes one. @returns a passport that the person has claimed */
  async function plant(email: string): Promise<{ claimed: string; buyer: Buyer; account: string; user: string }> {
    const signed = await signInBuyer(shop.application, email.toUpperCase())
    expect(signed.status, signed.text).to.equal(200)
    const { account, user, token } = getBody<{
      token: string
      user: { id: string }
      account: { id: string; address: string }
    }>(signed)
    const buyer: Buyer = { ...createApiClient({ bearer: token }), account: account.id, address: account.address }
    const headers = { headers: { 'idempotency-key': createUniqueName('made') } }
    const { id: claimed } = await buildProductPassport(shop, { name: 'Bag' }, { allowedClaimEmail: email })
    await publishPassports(shop, claimed)
    await claim(buyer, claimed)
    const kept = await shop.api.post(
      '/v1/dpp/passports',
      {
        application: shop.application,
        product: {
          idGranularity: 'item',
          name: `Bag of ${email}`,
          itemNumber: createSerial(),
          description: `Ask\n${email}.`,
        },
        reference: `order:${email}`,
        allowedClaimEmail: email.toUpperCase(),
        data: { owner: { [email]: [email] } },
      },
      headers,
    )
    expect(kept.status, kept.text).to.equal(201)
    const sheet = await buildSheet(shop)
    await shop.api.post(
      '/v1/dpp/passports',
      {
        product: sheet,
        fields: { serialNumber: createSerial(), origin: { country: email } },
        allowedClaimEmail: email,
      },
      headers,
    )
    await runImport(shop, [
      createItemRow(createSerial(), {}, { allowedClaimEmail: email }),
      createItemRow(createSerial(), {}, { allowedClaimEmail: `${email} or so` }),
      createItemRow(createSerial(), { [email]: 1, itemNumber: '' }),
    ])
    await shop.api.post('/v1/import/mappers', {
      application: shop.application,
      name: `From ${email}`,
      type: 'file',
      format: 'csv',
      rows: [{ destination: 'product.name', kind: 'constant', value: email }],
    })
    await shop.api.post('/v1/applications', { name: `Shop of ${email}` })
    await createApiClient().post('/v1/auth/send-otp', { application: shop.application, type: 'email-otp', email })
    return { claimed, buyer, account: account.id, user: user.id }
  }

  it('exports all that is held, and leaves nothing of it but tokens on the chain', async () => {
    const email = createEmail('canary')
    const { claimed, buyer, account, user } = await plant(email)
    const before = await namedIn(email, user)
    expect(new Set(before.map((line) => line.split(':')[0]))).to.include.keys(
      'users',
      'sessions',
      'accounts',
      'passports',
      'claims',
      'jobs',
      'messages',
      'idempotency',
      'import_errors',
      'import_mappers',
      'applications',
    )
    const exported = await admin('person', 'export', email)
    expect(exported.code, exported.err).to.equal(0)
    const { rows, mentions, users } = exported.json as unknown as {
      rows: Record<string, Record<string, unknown>[]>
      mentions: { table: string }[]
      users: string[]
    }
    expect(users).to.deep.equal([user])
    expect(rows).to.include.keys(
      'users',
      'sessions',
      'accounts',
      'passports',
      'claims',
      'messages',
      'jobs',
      'events',
      'idempotency',
    )
    expect(rows['passports']?.map(({ id }) => id)).to.include(claimed)
    expect(rows['sessions']?.[0]?.['token']).to.equal('not shown: a secret')
    // Every row of the dump that names the person is exported or told.
    const tables = new Set([...Object.keys(rows), ...mentions.map(({ table }) => table)])
    expect(
      [...new Set(before.map((line) => line.split(':')[0]?.replace(/^events_.*/, 'events')))].filter(
        (table) => !tables.has(table ?? ''),
      ),
    ).to.deep.equal([])

    const erased = await admin('person', 'erase', email.toUpperCase())
    expect(erased.code, erased.err).to.equal(0)
    expect(erased.json['remains']).to.deep.equal({})
    expect(erased.json['deleted']).to.include({ users: 1, sessions: 1 })
    expect(await namedIn(email, encodeURIComponent(email), user)).to.deep.equal([])
    expect(await done('person', 'erase', email)).to.deep.equal({ deleted: {}, changed: {}, remains: {} })
    expect(await done('person', 'export', email)).to.deep.include({ users: [], rows: {}, mentions: [] })

    const passport = await readPassport(shop.api, claimed)
    expect(passport).to.deep.include({
      status: 'claimed',
      allowedClaimEmail: null,
      mintedTo: { id: account, address: buyer.address, network: 'EthereumAnvil' },
    })
    expect(passport.token?.owner).to.equal(buyer.address)
    expect((await listOwners(claimed)).at(-1)?.to).to.equal(buyer.address)
    expect((await buyer.get('/v1/auth/session')).status).to.equal(401)
    expect((await createApiClient().get(`/p/${claimed}`, { skipsDocumentCheck: true })).status).to.equal(200)

    const again = await signInBuyer(shop.application, email)
    expect(again.status, again.text).to.equal(200)
    expect(getBody<{ account: { id: string } }>(again).account.id).to.not.equal(account)
    await admin('person', 'erase', email)
  })

  it('leaves nothing of it in results and streams of jobs, in stored answers and in stored refusals', async () => {
    const email = createEmail('canary')
    const { job } = await runImport(shop, [
      createItemRow(createSerial(), { [email]: 1, itemNumber: '' }),
      createItemRow(createSerial(), {}, { allowedClaimEmail: `${email} or so` }),
    ])
    // Whatever a job of any kind tells of its units.
    const { db } = await getOperator()
    await mentionInJob(db, job.id, email)
    await mentionInImportErrors(db, job.id, email)
    const requests = [
      {
        path: '/v1/dpp/passports',
        body: {
          application: shop.application,
          product: { idGranularity: 'item', name: 'Bag', itemNumber: createSerial() },
          allowedClaimEmail: email,
          reference: `of ${email}`,
        },
      },
      {
        path: '/v1/dpp/passports',
        body: { product: await buildSheet(shop), fields: { serialNumber: createSerial(), [email]: 1 } },
      },
    ].map((one) => ({ ...one, headers: { 'idempotency-key': createUniqueName('kept') } }))
    const answers = async () => [
      await shop.api.get(`/v1/imports/${job.id}`),
      await shop.api.get(`/v1/imports/${job.id}/report`),
      await shop.api.get(`/v1/jobs/${job.id}`),
      await shop.api.get(`/v1/jobs/${job.id}/sse`, { headers: { accept: 'text/event-stream' } }),
      ...(await Promise.all(requests.map(({ path, body, headers }) => shop.api.post(path, body, { headers })))),
    ]
    const before = await answers()
    expect(before.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 201, 422])
    const naming = (all: typeof before) => all.map(({ text }) => text.includes(email))
    expect(naming(before).slice(1)).to.deep.equal([true, true, true, true, true])
    expect((await admin('person', 'erase', email)).code).to.equal(0)
    const after = await answers()
    expect(after.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 201, 422])
    expect(naming(after)).to.deep.equal(Array(6).fill(false))
    expect(after.slice(4).map(({ headers }) => headers['idempotency-replayed'])).to.deep.equal(['true', 'true'])
  })

  it('touches nobody whose address has this one inside, or a part of it', async () => {
    const [email, inside] = [createEmail('canary'), createEmail('canary')]
    const others = [
      `a${inside}`,
      `a.${inside}`,
      `${inside}.au`,
      `a-${inside}`,
      inside.replace('@', '+x@'),
      inside.replace('people', 'other.people'),
    ]
    for (const address of [email, ...others])
      await buildProductPassport(shop, {}, { allowedClaimEmail: address, data: { note: `to <${address}>` } })
    await admin('person', 'erase', inside)
    for (const address of others) expect(await namedIn(`"to <${address}>"`), address).to.have.length(1)
    expect(
      (await shop.api.get(`/v1/dpp/passports?filters[allowedClaimEmail][eq]=${encodeURIComponent(others[0] ?? '')}`))
        .body['total'],
    ).to.equal(1)
    await admin('person', 'erase', email)
    expect(await namedIn(email)).to.deep.equal([])
  })

  it('knows people by phone, however the number is written', async () => {
    await enablePhones(shop.organization)
    const phone = createPhone()
    const number = `+39${phone}`
    const address = { application: shop.application, type: 'phone-otp', phoneCallingCode: '+39', phone }
    await createApiClient().post('/v1/auth/send-otp', address)
    const signed = await createApiClient().post('/v1/auth/verify-otp', { ...address, otp: await readCodeFor(number) })
    expect(signed.status, signed.text).to.equal(200)
    const written = `+39 ${phone.slice(0, 3)}-${phone.slice(3)}`
    await buildProductPassport(
      shop,
      {},
      { allowedClaimPhoneNumber: number, data: { call: `0039${phone}`, or: written } },
    )
    expect(await namedIn(phone)).to.not.be.empty
    const exportedByNumber = await done('person', 'export', number)
    expect((exportedByNumber['users'] as unknown as string[]).length).to.equal(1)
    const erased = await admin('person', 'erase', written)
    expect(erased.code, erased.err).to.equal(0)
    expect(await namedIn(phone, written)).to.deep.equal([])
  })

  it('erases members, but not the only owner of an organization', async () => {
    const member = await buildMember(shop.organization, 'editor')
    await signInMember(member, shop.organization)
    expect((await done('person', 'erase', member))['deleted']).to.include({ users: 1, members: 1, sessions: 1 })
    expect(await namedIn(member)).to.deep.equal([])
    const { code, out } = await admin('person', 'erase', shop.owner)
    expect([code, out.includes('only owner')], out).to.deep.equal([1, true])
    expect(await namedIn(shop.owner)).to.not.be.empty
  })

  it('refuses what is no address, and says so', async () => {
    for (const word of ['nobody', '+12', '']) {
      const { code, out } = await admin('person', 'erase', word)
      expect([code, out.includes('must be an e-mail address')], word).to.deep.equal([1, true])
    }
  })
})
