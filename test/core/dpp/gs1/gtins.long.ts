import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { Readiness } from '../../../../core/features/dpp/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { proveDomain } from '../../../support/network/domains.ts'
import { createTestEnvironment } from '../../../support/environment.ts'
import { platform } from '../../../support/platform.ts'
import { deleteAuditEntries, listAuditEntries, rewriteAuditEntries } from '../../../support/rows/audit/entries.ts'
import { hasGtinOwner, insertContestedGtins } from '../../../support/rows/dpp/gtins.ts'
import { getOperator } from '../../identity/people.ts'
import { buildDescribedPassport, buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { getBody, listFaultPaths, formatVerdict } from '../passports/fixtures.ts'
import { publishPassports } from '../passports/products.ts'
import { createGtin } from './gtin-values.ts'
import { createPublishedProduct } from './gtins.ts'

const entry = fileURLToPath(new URL('../../../../core/commands/admin/admin.ts', import.meta.url))
interface Ended {
  code: number
  out: string
  err: string
}
interface Listed {
  gtin: string
  organization: { id: string; name: string; domain: string | null }
  confirmedAt: string | null
  contests: { organization: { id: string }; reason: string | null }[]
}

/** Runs an operator's command beside the platform. */
function admin(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [entry, ...args],
      { env: createTestEnvironment({ DATA_DIR: platform.dataDir }) },
      (error, out, err) => resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}

const listOf = async (gtin: string) =>
  JSON.parse((await admin('gtin', 'list', '--gtin', gtin, '--json')).out) as Listed[]
const model = (gtin: string, more: object = {}) => ({
  idGranularity: 'model',
  name: 'Bag',
  modelNumber: randomUUID(),
  gtin,
  ...more,
})
const contest = ({ api }: Shop, gtin: string, body?: object) => api.post(`/v1/dpp/gtins/${gtin}/contest`, body)
const pageOf = async (id: string, headers: Record<string, string> = {}) =>
  (await createApiClient().get(`/p/${id}`, { headers })).text

describe('GTINs: ownership by organization', () => {
  let maker: Shop
  let seller: Shop
  before(async () => {
    ;[maker, seller] = [await buildShop(), await buildShop()]
  })

  it('is kept when a passport is published, and not before', async () => {
    const gtin = createGtin()
    const { id } = await buildDescribedPassport(maker, model(gtin))
    expect(await listOf(gtin)).to.deep.equal([])
    await publishPassports(maker, id)
    expect((await listOf(gtin)).map(({ organization }) => organization.id)).to.deep.equal([maker.organization])
    await createPublishedProduct(seller, model(gtin))
    expect((await listOf(gtin)).map(({ organization }) => organization.id)).to.deep.equal([maker.organization])
  })

  it('is kept of a GTIN that a published passport gets later, and stays when that goes', async () => {
    const [gtin, later] = [createGtin(), createGtin()]
    const id = await createPublishedProduct(maker, model(gtin))
    expect((await maker.api.patch(`/v1/dpp/passports/${id}`, { product: { gtin: later } })).status).to.equal(200)
    expect((await maker.api.delete(`/v1/dpp/passports/${id}`)).status).to.equal(200)
    for (const one of [gtin, later]) expect((await listOf(one))[0]?.organization.id).to.equal(maker.organization)
  })

  it('is kept of none whose check digit is wrong', async () => {
    const gtin = createGtin()
    const wrong = `${gtin.slice(0, -1)}${(Number(gtin.at(-1)) + 1) % 10}`
    await createPublishedProduct(maker, model(wrong))
    const { db } = await getOperator()
    expect(await hasGtinOwner(db, wrong)).to.equal(false)
    const { code, err } = await admin('gtin', 'assign', wrong, '--organization', maker.organization)
    expect([code, err.includes('gtin: ')]).to.deep.equal([1, true])
  })

  it('is a warning in the readiness of everybody else who uses it, before and after the passport is made', async () => {
    const gtin = createGtin(13)
    await createPublishedProduct(maker, model(gtin))
    const found = (readiness: Readiness) =>
      readiness.findings
        .filter(({ code }) => code === 'gtin_of_another')
        .map(({ severity, path, fix }) => `${severity} ${path} ${/contest/.test(fix)}`)
    const validate = async (shop: Shop, product: object) =>
      found(
        getBody<Readiness>(
          await shop.api.post('/v1/dpp/passports/validate', { application: shop.application, product }),
        ),
      )
    expect(await validate(seller, model(gtin))).to.deep.equal(['warning product.gtin true'])
    expect(
      await validate(seller, model('', { gtin: undefined, id: `https://id.gs1.org/01/${gtin.padStart(14, '0')}` })),
    ).to.deep.equal(['warning product.id true'])
    expect(await validate(maker, model(gtin))).to.deep.equal([])
    const { id } = await buildDescribedPassport(seller, model(gtin))
    expect(found(getBody<Readiness>(await seller.api.get(`/v1/dpp/passports/${id}/readiness`)))).to.deep.equal([
      'warning product.gtin true',
    ])
  })

  it('is told on the public page: a proven domain, a decision of the operator, or that nothing is confirmed', async () => {
    const shop = await buildShop()
    const gtin = createGtin()
    const id = await createPublishedProduct(shop, model(gtin))
    const [{ organization: { name } } = { organization: { name: '' } }] = await listOf(gtin)
    expect(await pageOf(id))
      .to.include(`Signed by ${name}, not confirmed`)
      .and.not.include('Published by')
    expect(await pageOf(id, { 'accept-language': 'fr' })).to.include(`Signé par ${name}, non confirmé`)
    expect((await admin('gtin', 'assign', gtin, '--organization', shop.organization)).code).to.equal(0)
    expect(await pageOf(id))
      .to.include(`Published by ${name}, confirmed for the product number ${gtin}`)
      .and.not.include('not confirmed')
    const other = await createPublishedProduct(shop, model(createGtin()))
    expect(await pageOf(other), 'of another GTIN').to.include('not confirmed')
    const host = `${createGtin(8)}.maker.example`
    await proveDomain(shop.api, shop.application, host)
    for (const each of [id, other])
      expect(await pageOf(each))
        .to.include(`Published by ${host}`)
        .and.not.include(`by ${name}`)
  })
})

describe('POST /v1/dpp/gtins/{gtin}/contest', () => {
  let maker: Shop
  let seller: Shop
  before(async () => {
    ;[maker, seller] = [await buildShop(), await buildShop()]
  })

  it('leaves a note that the operator sees and decides, once, in the audit trail', async () => {
    const gtin = createGtin(13)
    const whole = gtin.padStart(14, '0')
    const [theirs, mine] = [
      await createPublishedProduct(seller, model(gtin)),
      await createPublishedProduct(maker, model(gtin)),
    ]
    const led = async () => (await createApiClient().get(`/01/${gtin}`)).headers['location']
    expect(await led()).to.equal(`${platform.api}/p/${theirs}`)
    expect((await contest(maker, gtin)).status).to.equal(204)
    expect((await contest(maker, whole, { reason: 'We are the maker' })).status).to.equal(204)
    const [listed] = JSON.parse((await admin('gtin', 'list', '--json')).out) as Listed[]
    expect(listed?.contests.length, 'contested ones come first').to.be.greaterThan(0)
    expect(
      (await listOf(gtin))[0]?.contests.map(({ organization, reason }) => [organization.id, reason]),
    ).to.deep.equal([[maker.organization, 'We are the maker']])
    expect(await led(), 'a note alone changes nothing').to.equal(`${platform.api}/p/${theirs}`)
    const decided = await admin('gtin', 'assign', gtin, '--organization', maker.organization, '--json')
    expect(decided.code, decided.err).to.equal(0)
    expect(JSON.parse(decided.out)).to.deep.include({ gtin: whole, contests: [] })
    expect((await listOf(gtin))[0])
      .to.deep.include({ contests: [] })
      .and.have.property('confirmedAt')
      .that.is.a('string')
    expect(await led()).to.equal(`${platform.api}/p/${mine}`)
    const { db } = await getOperator()
    const entries = await listAuditEntries(db, whole)
    expect(entries.map(({ action, details }) => ({ action, ...details }))).to.deep.equal([
      {
        action: 'gtin.assign',
        organization: maker.organization,
        former: seller.organization,
        confirmedBefore: null,
        contests: 1,
      },
    ])
    expect(entries[0]?.actor).to.match(/^operator \S/)
    for (const change of [rewriteAuditEntries, deleteAuditEntries])
      expect(
        await change(db, whole).then(
          () => 'changed',
          (error: Error) => error.message,
        ),
      ).to.include('neither changed nor deleted')
  })

  it('ends what is undecided between the first publisher and one with a proven domain', async () => {
    const gtin = createGtin()
    const [first, brand] = [await buildShop(), await buildShop()]
    await createPublishedProduct(first, model(gtin))
    const theirs = await createPublishedProduct(brand, model(gtin))
    await proveDomain(brand.api, brand.application, `${createGtin(8)}.brand.example`)
    expect((await createApiClient().get(`/01/${gtin}`)).status).to.equal(300)
    expect((await admin('gtin', 'assign', gtin, '--organization', brand.organization)).code).to.equal(0)
    expect((await createApiClient().get(`/01/${gtin}`)).headers['location']).to.equal(`${platform.api}/p/${theirs}`)
  })

  it("refuses what is no GTIN, nobody's and one's own, and who may not change passports", async () => {
    const gtin = createGtin()
    expect(formatVerdict(await contest(seller, gtin))).to.equal('404 NOT_FOUND')
    await createPublishedProduct(maker, model(gtin))
    const own = await contest(maker, gtin)
    expect([formatVerdict(own), listFaultPaths(own)]).to.deep.equal(['422 VALIDATION_FAILED', ['gtin']])
    const wrong = await contest(seller, `${gtin.slice(0, -1)}${(Number(gtin.at(-1)) + 1) % 10}`)
    expect([formatVerdict(wrong), listFaultPaths(wrong)]).to.deep.equal(['422 VALIDATION_FAILED', ['gtin']])
    for (const none of ['123', '123456789', 'abcdefgh'])
      expect(formatVerdict(await contest(seller, none)), none).to.equal('400 INVALID_REQUEST')
    expect(listFaultPaths(await contest(seller, gtin, { reason: ' ' }))).to.deep.equal(['reason'])
    const reader = createApiClient((await buildKey(seller.organization, { dpp: ['read'] })).key)
    expect(formatVerdict(await reader.post(`/v1/dpp/gtins/${gtin}/contest`))).to.equal(
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
    )
    expect((await listOf(gtin))[0]?.contests).to.deep.equal([])
  })

  it('takes at most 1,000 open notes of one organization', async () => {
    const { db } = await getOperator()
    const shop = await buildShop()
    const [last = '', first = '', ...rest] = Array.from({ length: 1_001 }, () => createGtin())
    const deleteGtins = await insertContestedGtins(db, {
      owner: maker.organization,
      contestant: shop.organization,
      contested: [first, ...rest],
      others: [last],
    })
    expect(listFaultPaths(await contest(shop, last))).to.deep.equal(['gtin'])
    expect((await contest(shop, first, { reason: 'Again' })).status, 'a note that is open may change').to.equal(204)
    await deleteGtins()
  })

  it('is a command with usage, and says what is wrong', async () => {
    const unknown = await admin('gtin', 'assign', createGtin(), '--organization', randomUUID())
    expect([unknown.code, unknown.out]).to.deep.equal([1, ''])
    expect((await admin('gtin', 'assign', createGtin())).code).to.equal(2)
    expect((await admin('gtin', 'list', '--gtin', '123')).code).to.equal(1)
    expect((await admin('help')).out)
      .to.include('gtin list')
      .and.include('gtin assign')
  })
})
