import { expect } from 'chai'
import { forgetReporters } from '../../../../core/features/dpp/index.ts'
import { createApiClient, type Client } from '../../../support/client.ts'
import { ageReports, insertOpenReports, readReportText } from '../../../support/rows/dpp/reports/reports.ts'
import {
  buildKey,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { createVisitor, readText, type Visitor } from '../../../pages/passports/visitor.ts'
import { createEmail, getOperator, signInMember } from '../../identity/people.ts'
import { listEventTypes, listFaultPaths } from '../passports/fixtures.ts'

const report = { kind: 'stolen', text: 'Seen at a market.\nIt was on Sunday.' }
const anybody = createApiClient()
const send = (passport: string, body: object = report, by: Client = anybody) =>
  by.post(`/v1/dpp/passports/${passport}/reports`, body)

describe('POST /v1/dpp/passports/:id/reports', function () {
  this.timeout(60_000)
  let shop: Shop
  let sheet: string
  let owner: Visitor
  before(async () => {
    shop = await buildShop()
    sheet = await buildSheet(shop)
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
  })
  const publish = async () => (await buildPublishedPassport(shop, sheet)).id

  /** What the file of the console has of the reports of a passport, without its head. */
  const listReports = async (passport: string): Promise<string[]> => {
    const file = await owner.get(`/console/reports.csv?state=all&passport=${passport}`)
    expect(file.status, file.text).to.equal(200)
    return file.text
      .split('\r\n')
      .slice(1)
      .filter((line) => line !== '')
  }

  it('stores what anybody reports for the organization of the passport, with an event and without a mail', async () => {
    const passport = await publish()
    const email = createEmail('witness')
    const { status, text } = await send(passport, { ...report, email: email.toUpperCase() })
    expect([status, text]).to.deep.equal([204, ''])
    expect(await listEventTypes(shop, passport)).to.deep.equal(['create', 'publish', 'update'])
    const [line = ''] = await listReports(passport)
    expect(line).to.contain('stolen').and.to.contain('Seen at a market.\nIt was on Sunday.').and.to.contain(email)
    const { body } = await anybody.get(`/v1/dpp/passports/${passport}`)
    expect(JSON.stringify(body)).to.not.contain('market')
  })

  it('answers for a draft as for none, to its own organization too, whatever the report', async () => {
    const { id } = await buildPassport(shop, sheet)
    for (const by of [anybody, shop.api]) {
      const [draft, none] = [await send(id, report, by), await send('00000000-0000-4000-8000-000000000000', report, by)]
      expect([draft.status, draft.body.code]).to.deep.equal([404, 'NOT_FOUND'])
      for (const { body } of [draft, none])
        for (const own of ['instance', 'requestId']) Reflect.deleteProperty(body, own)
      expect(draft.body).to.deep.equal(none.body)
    }
    expect(await listReports(id)).to.deep.equal([])
  })

  it('takes reports of claimed and archived passports, and from every caller', async () => {
    const passport = await publish()
    expect((await shop.api.patch(`/v1/dpp/passports/${passport}`, { status: 'archived' })).status).to.equal(200)
    const { key } = await buildKey((await buildShop()).organization, {})
    for (const [at, by] of [anybody, createApiClient(key), shop.api].entries())
      expect((await send(passport, { kind: 'other', text: `Report ${at}` }, by)).status).to.equal(204)
    expect(await listReports(passport)).to.have.length(3)
  })

  it('refuses what is no report', async () => {
    const passport = await publish()
    for (const [body, path] of [
      [{ ...report, kind: 'ugly' }, 'kind'],
      [{ ...report, text: '' }, 'text'],
      [{ ...report, text: ' \n ' }, 'text'],
      [{ ...report, text: 'x'.repeat(2_001) }, 'text'],
      [{ ...report, email: 'nobody' }, 'email'],
      [{ ...report, more: 1 }, 'more'],
    ] as const) {
      const answer = await send(passport, body)
      expect(answer.status, answer.text).to.equal(422)
      expect(new Set(listFaultPaths(answer))).to.deep.equal(new Set([path]))
    }
    expect((await send(passport, { kind: 'fake' })).status).to.equal(400)
    expect((await send(passport, { ...report, text: 'x'.repeat(32_768) })).status).to.equal(413)
    expect((await send(passport, { ...report, text: '😀'.repeat(2_000) })).status).to.equal(204)
  })

  it('stores the same report from the same address once, however many are sent at once', async () => {
    const passport = await publish()
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(passport)))
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(5).fill(204))
    expect(await listReports(passport)).to.have.length(1)
    expect(await listEventTypes(shop, passport)).to.deep.equal(['create', 'publish', 'update'])
  })

  it('takes five reports of a passport an hour from one address, and stores no address', async () => {
    const [passport, other] = [await publish(), await publish()]
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => send(passport, { kind: 'fake', text: `Number ${at}` })),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.filter(({ status }) => status === 204)).to.have.length(5)
    expect(refused.map(({ body }) => body.code)).to.deep.equal(Array(3).fill('RATE_LIMITED'))
    expect(Number(refused[0]?.headers['retry-after'])).to.be.within(1, 3_600)
    expect((await send(other)).status).to.equal(204)
    const { db } = await getOperator()
    expect(await readReportText(db, passport)).to.not.match(/127\.0\.0\.1|::1\b/)
  })

  it('takes no more while 1,000 of the passport wait', async () => {
    const passport = await publish()
    const { db } = await getOperator()
    const { organization, application } = shop
    await insertOpenReports(db, { organization, application, passport, count: 999 })
    expect((await send(passport)).status).to.equal(204)
    const full = await send(passport, { kind: 'fake', text: 'One too many' })
    expect([full.status, full.body.code]).to.deep.equal([429, 'RATE_LIMITED'])
    expect(full.headers['retry-after']).to.equal('3600')
  })

  it('goes once by an idempotency key', async () => {
    const passport = await publish()
    const options = { headers: { 'idempotency-key': `report-${passport}` } }
    const path = `/v1/dpp/passports/${passport}/reports`
    expect((await shop.api.post(path, report, options)).status).to.equal(204)
    const again = await shop.api.post(path, report, options)
    expect([again.status, again.headers['idempotency-replayed']]).to.deep.equal([204, 'true'])
    const other = await shop.api.post(path, { ...report, kind: 'fake' }, options)
    expect(other.body.code).to.equal('IDEMPOTENCY_KEY_REUSED')
    expect(await listReports(passport)).to.have.length(1)
  })

  it('is closed to pages of other sites, whose visitors would report without knowing', async () => {
    const passport = await publish()
    const headers = { origin: 'https://stranger.example', cookie: owner.cookie }
    const answer = await anybody.post(`/v1/dpp/passports/${passport}/reports`, report, { headers })
    expect([answer.status, answer.body.code]).to.deep.equal([403, 'AUTH_ORIGIN_MISMATCH'])
    expect(await listReports(passport)).to.deep.equal([])
  })

  it('keeps the address of who reported until 90 days after the report was handled', async () => {
    const passport = await publish()
    const [waiting, handled] = [createEmail('waiting'), createEmail('handled')]
    await send(passport, { kind: 'fake', text: 'Wait', email: waiting })
    await send(passport, { kind: 'defect', text: 'Handle', email: handled })
    const id = (await listReports(passport)).find((line) => line.includes(handled))?.split(',')[0]
    expect((await owner.post(`/console/reports/${id}`, { handled: 'yes' })).status).to.equal(303)
    const { db } = await getOperator()
    await forgetReporters(db)
    expect(await readReportText(db, passport)).to.contain(handled)
    await ageReports(db, passport, 91)
    await forgetReporters(db)
    const text = await readReportText(db, passport)
    expect(text).to.contain('Handle').and.to.contain(waiting).and.not.to.contain(handled)
    const page = await owner.get(`/console/reports?state=handled&passport=${passport}`)
    expect(readText(page)).to.contain('No address was left')
  })

  it('goes with its passport', async () => {
    const passport = await publish()
    await send(passport)
    expect((await shop.api.delete(`/v1/dpp/passports/${passport}`)).status).to.equal(200)
    expect(await readReportText((await getOperator()).db, passport)).to.equal('')
  })
})
