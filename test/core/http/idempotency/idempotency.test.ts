import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createApiClient, type Client } from '../../../support/client.ts'
import { waitUntil } from '../../../support/processes.ts'
import { handPassportToShop, takePassportFromShop } from '../../../support/rows/dpp/passports.ts'
import { expireStoredKey, findStoredKey } from '../../../support/rows/http/idempotency-keys.ts'
import { listMessagesTo, createEmail, getOperator, requestCode, createUniqueName } from '../../identity/people.ts'
import {
  buildApplication,
  buildBuyer,
  buildOrganization,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { waitForJob, formatVerdict } from '../../dpp/passports/fixtures.ts'
import {
  countApplications,
  expectReplay,
  isReplayed,
  readKeyState,
  runWhilePassportLocked,
  createKeyHeaders,
} from './keys.ts'

describe('Idempotency-Key', function () {
  this.timeout(120_000)
  let shop: Shop
  let sheet: string

  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
  })

  it('gets a creation its first answer again: status, body, Location and type, and nothing is created twice', async () => {
    const [key, name] = [randomUUID(), createUniqueName('Once')]
    const send = () => shop.api.post('/v1/applications', { name }, createKeyHeaders(key))
    expectReplay(await send(), await send(), 201)
    expect(await countApplications(shop.api, name)).to.equal(1)
  })

  it('works for PATCH and DELETE, for jobs, and for what is gone by then', async () => {
    const { id } = await buildPassport(shop, sheet)
    const patch = (key: string) =>
      shop.api.patch(`/v1/dpp/passports/${id}`, { reference: `ref-${id}` }, createKeyHeaders(key))
    const key = randomUUID()
    expectReplay(await patch(key), await patch(key), 200)
    const remove = () => shop.api.send('DELETE', `/v1/dpp/passports/${id}`, undefined, createKeyHeaders('gone'))
    expectReplay(await remove(), await remove(), 200)
    const mint = () =>
      shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: 'K-1' }], createKeyHeaders('mint'))
    const [first, second] = [await mint(), await mint()]
    expectReplay(first, second, 202)
    expect(first.headers['location']).to.equal(`/v1/jobs/${first.body['jobId']}`)
    await waitForJob(shop.api, `/v1/jobs/${first.body['jobId']}`)
    const job = await shop.api.get(`/v1/dpp/products/${sheet}/mint/${first.body['jobId']}/status`)
    expect(job.body).to.deep.include({ status: 'completed', completed: 1 })
  })

  it('is refused for another body, another address or another query: 422', async () => {
    const key = randomUUID()
    const name = createUniqueName('Reused')
    await shop.api.post('/v1/applications', { name }, createKeyHeaders(key))
    expect(
      formatVerdict(await shop.api.post('/v1/applications', { name: `${name}!` }, createKeyHeaders(key))),
    ).to.equal('422 IDEMPOTENCY_KEY_REUSED')
    expect(
      formatVerdict(
        await shop.api.post('/v1/applications', undefined, { ...createKeyHeaders(key), raw: JSON.stringify({ name }) }),
      ),
    ).to.equal('201')
    const [one, two] = [await buildPassport(shop, sheet), await buildPassport(shop, sheet)]
    const other = randomUUID()
    expect(
      (await shop.api.patch(`/v1/dpp/passports/${one.id}`, { reference: null }, createKeyHeaders(other))).status,
    ).to.equal(200)
    expect(
      formatVerdict(await shop.api.patch(`/v1/dpp/passports/${two.id}`, { reference: null }, createKeyHeaders(other))),
    ).to.equal('422 IDEMPOTENCY_KEY_REUSED')
    expect(
      (
        await shop.api.post(
          `/v1/dpp/passports/publish?filters[id][eq]=${one.id}`,
          undefined,
          createKeyHeaders('publish'),
        )
      ).status,
    ).to.equal(202)
    expect(
      formatVerdict(
        await shop.api.post(
          `/v1/dpp/passports/publish?filters[id][eq]=${two.id}`,
          undefined,
          createKeyHeaders('publish'),
        ),
      ),
    ).to.equal('422 IDEMPOTENCY_KEY_REUSED')
  })

  it('is answered 409 while the first request runs, and with its answer afterwards', async () => {
    const { id } = await buildPassport(shop, sheet)
    const key = randomUUID()
    const send = (reference = 'a') =>
      shop.api.patch(`/v1/dpp/passports/${id}`, { reference: `${reference}-${id}` }, createKeyHeaders(key))
    await runWhilePassportLocked(id, async (release) => {
      const first = send()
      await waitUntil('the first request holds its key', async () => (await readKeyState(key)) === 'running')
      const second = await send()
      expect(formatVerdict(second)).to.equal('409 IDEMPOTENCY_IN_PROGRESS')
      expect(Number(second.headers['retry-after']), 'the seconds that are left of the lease').to.be.within(30, 60)
      expect(formatVerdict(await send('b'))).to.equal('422 IDEMPOTENCY_KEY_REUSED')
      await release()
      expectReplay(await first, await send(), 200)
    })
  })

  it('lets one of fifty at a time create, and tells the others so', async () => {
    const [key, name] = [randomUUID(), createUniqueName('Fifty')]
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => shop.api.post('/v1/applications', { name }, createKeyHeaders(key))),
    )
    expect(await countApplications(shop.api, name)).to.equal(1)
    expect(answers.filter((answer) => answer.status === 201 && !isReplayed(answer))).to.have.length(1)
    for (const answer of answers) expect(formatVerdict(answer)).to.be.oneOf(['201', '409 IDEMPOTENCY_IN_PROGRESS'])
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ body }) => String(body['id']))).size).to.equal(
      1,
    )
  })

  it('keeps refusals by a rule, even after their cause is gone', async () => {
    const reference = createUniqueName('taken')
    const holder = await buildPassport(shop, sheet, { reference })
    const create = (key: string) =>
      shop.api.post(
        '/v1/dpp/passports',
        { product: sheet, reference, fields: { serialNumber: 'x' } },
        createKeyHeaders(key),
      )
    const key = randomUUID()
    const first = await create(key)
    expect(formatVerdict(first)).to.equal('409 DPP_PASSPORT_DUPLICATE_REFERENCE')
    await shop.api.delete(`/v1/dpp/passports/${holder.id}`)
    expectReplay(first, await create(key), 409)
    expect((await create(randomUUID())).status).to.equal(201)
    const absent = randomUUID()
    const patch = () => shop.api.patch(`/v1/dpp/passports/${absent}`, { reference: null }, createKeyHeaders('absent'))
    expectReplay(await patch(), await patch(), 404)
    const wrong = () =>
      shop.api.post(
        '/v1/dpp/passports',
        { product: sheet, fields: { serialNumber: 5 } },
        createKeyHeaders('wrong field'),
      )
    expectReplay(await wrong(), await wrong(), 422)
  })

  it('is free again after a refusal that the same request may not meet next time: 400, 401, 403, 413, 415', async () => {
    const { db } = await getOperator()
    const { id } = await buildPassport(shop, sheet)
    const patch = (api: Client, raw: string, headers = {}) =>
      api.patch(`/v1/dpp/passports/${id}`, undefined, { raw, ...createKeyHeaders('free again', headers) })
    const good = JSON.stringify({ reference: null })
    expect((await patch(shop.api, '{')).status).to.equal(400)
    expect((await patch(createApiClient('tsr_test_nonsense'), good)).status).to.equal(401)
    expect((await patch(shop.api, ' '.repeat(1024 * 1024 + 1))).status).to.equal(413)
    expect((await patch(shop.api, good, { 'content-type': 'text/plain' })).status).to.equal(415)
    await handPassportToShop(db, id)
    expect(formatVerdict(await patch(shop.api, good))).to.equal('403 DPP_PASSPORT_SOURCE_READ_ONLY')
    await takePassportFromShop(db, id)
    const [first, second] = [await patch(shop.api, good), await patch(shop.api, good)]
    expectReplay(first, second, 200)
  })

  it('is free again after an answer of 5xx', async () => {
    const { id } = await buildPassport(shop, sheet)
    const key = randomUUID()
    const send = () => shop.api.patch(`/v1/dpp/passports/${id}`, { reference: `late-${id}` }, createKeyHeaders(key))
    await runWhilePassportLocked(id, async () => {
      const answer = await send()
      expect([answer.status, answer.body['code'], answer.headers['retry-after']], answer.text).to.deep.equal([
        503,
        undefined,
        '2',
      ])
    })
    const again = await send()
    expect([again.status, isReplayed(again)]).to.deep.equal([200, false])
  })

  it('has 1 to 255 printable ASCII characters', async () => {
    const send = (key: string) =>
      shop.api.post('/v1/applications', { name: createUniqueName('Key') }, createKeyHeaders(key))
    for (const key of ['', 'k'.repeat(256), 'schlüssel', 'a\tb'])
      expect(formatVerdict(await send(key)), key).to.equal('400 INVALID_REQUEST')
    for (const key of ['k'.repeat(255), '~', 'a b"c,d;e=f', '0']) expect((await send(key)).status, key).to.equal(201)
  })

  it('belongs to its organization, its caller and its operation', async () => {
    const other = await buildOrganization()
    const key = randomUUID()
    const name = createUniqueName('Mine')
    const mine = await shop.api.post('/v1/applications', { name }, createKeyHeaders(key))
    const theirs = await createApiClient(other.key).post('/v1/applications', { name }, createKeyHeaders(key))
    expect([mine.status, theirs.status, isReplayed(theirs)]).to.deep.equal([201, 201, false])
    expect(theirs.body['id']).not.to.equal(mine.body['id'])
    const elsewhere = await shop.api.post(
      '/v1/dpp/products',
      { application: shop.application, name },
      createKeyHeaders(key),
    )
    expect([elsewhere.status, isReplayed(elsewhere)]).to.deep.equal([201, false])
  })

  it('belongs to one buyer of one application', async () => {
    const passport = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: createEmail() })
    const buyers = [
      await buildBuyer(shop),
      await buildBuyer(shop),
      await buildBuyer({ application: await buildApplication(shop.organization) }),
    ]
    const absent = randomUUID()
    for (const [at, buyer] of buyers.entries()) {
      const claim = (body: object) => buyer.post('/v1/dpp/claim', body, createKeyHeaders('the same'))
      expectReplay(await claim({ passport: absent }), await claim({ passport: absent }), 404)
      expect(formatVerdict(await claim({ passport: passport.id })), `buyer ${at}`).to.equal(
        '422 IDEMPOTENCY_KEY_REUSED',
      )
    }
  })

  it('is of no account for who is anonymous, and for who signs in: no secret is kept', async () => {
    const email = createEmail()
    const before = await createApiClient().post('/v1/auth/sign-out', undefined, createKeyHeaders('anonymous'))
    const after = await createApiClient().post('/v1/auth/sign-out', undefined, createKeyHeaders('anonymous'))
    expect([before.status, after.status, isReplayed(after)]).to.deep.equal([204, 204, false])
    const send = () =>
      shop.api.post(
        '/v1/auth/send-otp',
        { application: shop.application, type: 'email-otp', email },
        createKeyHeaders('otp'),
      )
    expect([await send(), await send()].map((answer) => [answer.status, isReplayed(answer)])).to.deep.equal([
      [204, false],
      [204, false],
    ])
    await requestCode(shop.application, email)
    await waitUntil('three codes were sent', async () => (await listMessagesTo(email)).length === 3)
    expect(await readKeyState('otp')).to.equal(undefined)
  })

  it('is kept for thirty days', async () => {
    const key = randomUUID()
    const name = createUniqueName('Month')
    const send = () => shop.api.post('/v1/applications', { name }, createKeyHeaders(key))
    await send()
    const { db } = await getOperator()
    const expiresAt = Number((await findStoredKey(db, key))?.expiresAt)
    expect((expiresAt - Date.now()) / 86_400_000).to.be.closeTo(30, 0.01)
    await expireStoredKey(db, key)
    expect([(await send()).status, await countApplications(shop.api, name)]).to.deep.equal([201, 2])
  })
})
