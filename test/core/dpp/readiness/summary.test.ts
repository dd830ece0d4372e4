import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Finding, Passport, Readiness, ReadinessSummary } from '../../../../core/features/dpp/index.ts'
import { insertProductPassports } from '../../../support/rows/dpp/new-passports.ts'
import { loseAnchor } from '../../../support/rows/dpp/anchors.ts'
import { createUntpItem } from '../../../support/values/untp.ts'
import {
  buildApplication,
  buildCertifiedPassport,
  buildModelTree,
  buildPassport,
  buildProductPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'
import { createGtin } from '../gs1/gtin-values.ts'
import { createFamily } from '../gs1/gtins.ts'
import { createSerial, formatVerdict, getBody, getRows, listFaultPaths, waitForJob } from '../passports/fixtures.ts'
import { everyMember } from '../passports/products.ts'

const path = '/v1/dpp/readiness'
const createItems = (count: number) => Array.from({ length: count }, () => createUntpItem(randomUUID()))

describe('GET /v1/dpp/readiness', () => {
  const summarize = async ({ api }: Shop, query = ''): Promise<ReadinessSummary> => {
    const answer = await api.get(`${path}${query}`)
    expect(answer.status, answer.text).to.equal(200)
    return getBody<ReadinessSummary>(answer)
  }

  /** The readiness of each passport by itself, the newest first. */
  async function readEach({ api }: Shop): Promise<{ passport: Passport; readiness: Readiness }[]> {
    const passports = getRows(await api.get('/v1/dpp/passports?pageSize=100'))
    const each = passports.map(async (passport) => {
      const readiness = getBody<Readiness>(await api.get(`/v1/dpp/passports/${passport.id}/readiness`))
      return { passport, readiness }
    })
    return Promise.all(each)
  }

  /** Passports that break rules of every kind: of content, links, GTINs, states, certificates and sheets. */
  async function buildVariety(): Promise<Shop> {
    const shop = await buildShop()
    const gtin = createGtin()
    await createFamily(await buildShop(), gtin)
    await buildModelTree(shop)
    await buildProductPassport(shop, createUntpItem(createSerial()))
    await buildProductPassport(shop, { ...createUntpItem(createSerial()), gtin })
    await buildProductPassport(shop, { batchNumber: randomUUID(), gtin: '4006381333932' }, { reference: 'wrong-1' })
    await buildProductPassport(shop, { gtin: '4006381333932', countryOfProduction: { countryCode: 'XX' } })
    const archived = await buildProductPassport(shop)
    await shop.api.patch(`/v1/dpp/passports/${archived.id}`, { status: 'archived' })
    const [lost, suspended] = [await buildCertifiedPassport(shop), await buildCertifiedPassport(shop)]
    await loseAnchor((await getOperator()).db, lost)
    const change = { purpose: 'suspension', value: true, reason: 'A look at it' }
    expect((await shop.api.post(`/v1/dpp/passports/${suspended}/status`, change)).status).to.equal(200)
    const sheet = await buildSheet(shop, { certifiedPaths: ['serialNumber'] })
    await buildPassport(shop, sheet)
    await buildPassport(shop, sheet, { reference: 'on-sheet' })
    const changed = await shop.api.patch(`/v1/dpp/products/${sheet}`, {
      passportsFields: [
        { name: 'serialNumber', type: 'string', required: true },
        { name: 'weight', type: 'number', required: true },
      ],
      migrate: true,
    })
    await waitForJob(shop.api, String(changed.headers['location']))
    return shop
  }

  it('counts by rule what the readiness of each passport finds, errors first', async () => {
    const shop = await buildVariety()
    const each = await readEach(shop)
    const summary = await summarize(shop)
    expect(summary.passports).to.equal(each.length)
    expect(summary.ready).to.equal(each.filter(({ readiness }) => readiness.ready).length)
    const passportsByRule = new Map<string, Set<string>>()
    const known = new Map<string, Finding>()
    for (const { passport, readiness } of each) {
      for (const finding of readiness.findings) {
        passportsByRule.set(finding.code, (passportsByRule.get(finding.code) ?? new Set()).add(passport.id))
        known.set(finding.code, finding)
      }
    }
    expect(Object.fromEntries(summary.byRule.map(({ rule, passports }) => [rule, passports]))).to.deep.equal(
      Object.fromEntries([...passportsByRule].map(([rule, passports]) => [rule, passports.size])),
    )
    expect(passportsByRule).to.include.keys(
      'anchor_lost',
      'archived',
      'batch_not_linked',
      'country_code_unknown',
      'gtin_check_digit',
      'gtin_of_another',
      'parent_not_published',
      'sheet_version_old',
      'suspended',
      'untp_member_no_field',
      'untp_required',
    )
    for (const { rule, severity, sample, fix, example, paths } of summary.byRule) {
      expect(severity).to.equal(known.get(rule)?.severity)
      const atFirstPath = each
        .flatMap(({ readiness }) => readiness.findings)
        .filter(({ code, path }) => code === rule && path.replaceAll(/\[\d+\]/g, '[]') === paths?.[0])
      const wanted = atFirstPath.map((finding) => JSON.stringify([finding.fix, finding.example]))
      if (severity === 'error') expect(wanted, rule).to.include(JSON.stringify([fix, example]))
      else expect([fix, example, paths]).to.deep.equal([undefined, undefined, undefined])
      const having = each.map(({ passport }) => passport.id).filter((id) => passportsByRule.get(rule)?.has(id))
      expect(
        sample.map(({ id }) => id),
        rule,
      ).to.deep.equal(having.slice(0, severity === 'error' ? 10 : 1))
    }
    const severities = summary.byRule.map(({ severity }) => severity)
    expect(severities).to.deep.equal([...severities].sort((one, other) => rank(one) - rank(other)))
  }).timeout(60_000)
  const rank = (severity: string) => ['error', 'warning', 'info'].indexOf(severity)

  it('tells where a rule is broken, most frequent first, and of which passports', async () => {
    const shop = await buildShop()
    await buildProductPassport(shop, { ...createUntpItem(createSerial()), gtin: '4006381333932' }, { reference: 'A-1' })
    await buildProductPassport(shop, createUntpItem(createSerial()))
    const [wool] = everyMember.materialProvenance
    const nowhere = { countryCode: 'XX', countryName: 'Nowhere' }
    const materials = ['Wool', 'Linen'].map((name) => ({ ...wool, name, massFraction: 0.5, originCountry: nowhere }))
    const scarf = { ...createUntpItem(createSerial()), name: 'Scarf', countryOfProduction: nowhere }
    await buildProductPassport(shop, { ...scarf, materialProvenance: materials })
    const { passports, ready, byRule } = await summarize(shop, '?severity=error')
    expect([passports, ready]).to.deep.equal([3, 1])
    expect(byRule.map(({ rule, passports, sample, paths }) => ({ rule, passports, sample, paths }))).to.deep.equal([
      {
        rule: 'country_code_unknown',
        passports: 1,
        sample: [{ id: byRule[0]?.sample[0]?.id, name: `Scarf, ${scarf.itemNumber}` }],
        paths: ['product.materialProvenance[].originCountry.countryCode', 'product.countryOfProduction.countryCode'],
      },
      {
        rule: 'gtin_check_digit',
        passports: 1,
        sample: [{ id: byRule[1]?.sample[0]?.id, name: 'Cell pack 48V, A-1' }],
        paths: ['product.gtin'],
      },
    ])
    expect(byRule.every(({ severity }) => severity === 'error')).to.equal(true)
    const [warning] = (await summarize(shop, '?severity=warning')).byRule.filter(({ severity }) => severity !== 'error')
    expect(warning).to.have.keys('rule', 'severity', 'passports', 'sample')
  })

  it('lists the passports behind one rule, up to 100, with its fix', async () => {
    const shop = await buildShop()
    await insertProductPassports((await getOperator()).db, shop, createItems(101))
    const { passports, byRule } = await summarize(shop, '?rule=not_published')
    expect(passports).to.equal(101)
    const [only, ...others] = byRule
    expect(others).to.deep.equal([])
    expect(only).to.deep.include({ rule: 'not_published', severity: 'warning', passports: 101, paths: ['status'] })
    expect(only?.fix).to.match(/^Publish the passport/)
    expect(new Set(only?.sample.map(({ id }) => id)).size).to.equal(100)
    expect((await summarize(shop, '?rule=gtin_check_digit')).byRule).to.deep.equal([])
  })

  it('takes the filters of the list, and exactly the page that is asked for', async () => {
    const shop = await buildShop()
    const application = await buildApplication(shop.organization)
    const made = [await buildProductPassport(shop), await buildProductPassport(shop), await buildProductPassport(shop)]
    await buildProductPassport({ ...shop, application })
    expect(await summarize(shop)).to.include({ passports: 4 })
    expect(await summarize(shop, `?filters[application.id][eq]=${shop.application}`)).to.include({ passports: 3 })
    const { passports, byRule } = await summarize(
      shop,
      '?currentPage=2&pageSize=2&sorters[0][field]=createdAt&sorters[0][order]=asc&rule=not_published',
    )
    expect(passports).to.equal(2)
    expect(byRule[0]?.sample[0]?.id).to.equal(made[2]?.id)
    const oldestFirst = '?sorters[0][field]=createdAt&sorters[0][order]=asc&rule=not_published'
    expect((await summarize(shop, oldestFirst)).byRule[0]?.sample[0]?.id).to.equal(made[0]?.id)
    expect(await summarize(shop, `?filters[id][eq]=${randomUUID()}`)).to.deep.equal({
      passports: 0,
      ready: 0,
      byRule: [],
    })
  })

  it('judges the passports of the caller alone', async () => {
    const [shop, other] = [await buildShop(), await buildShop()]
    const { id } = await buildProductPassport(other)
    expect(await summarize(shop)).to.deep.equal({ passports: 0, ready: 0, byRule: [] })
    expect(await summarize(shop, `?filters[id][eq]=${id}`)).to.include({ passports: 0 })
    expect(await summarize(other)).to.include({ passports: 1 })
  })

  it('judges 10,000 passports, and refuses more', async () => {
    const shop = await buildShop()
    const { db } = await getOperator()
    await insertProductPassports(db, shop, createItems(10_000))
    expect(await summarize(shop, '?severity=error')).to.include({ passports: 10_000 })
    await insertProductPassports(db, shop, createItems(1))
    const refused = await shop.api.get(path)
    expect([formatVerdict(refused), listFaultPaths(refused)]).to.deep.equal(['422 VALIDATION_FAILED', ['filters']])
    expect(await summarize(shop, '?pageSize=50')).to.include({ passports: 50 })
  }).timeout(120_000)

  it('refuses a rule that there is none of, and other severities', async () => {
    const { api } = await buildShop()
    for (const query of ['rule=nothing_at_all', 'rule=No', 'severity=bad']) {
      const refused = await api.get(`${path}?${query}`)
      const [name] = query.split('=')
      expect([formatVerdict(refused), listFaultPaths(refused)]).to.deep.equal(['400 INVALID_REQUEST', [name]])
    }
  })
})
