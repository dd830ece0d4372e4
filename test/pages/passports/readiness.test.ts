import { expect } from 'chai'
import { getOperator, signInMember } from '../../core/identity/people.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { insertProductPassports } from '../../support/rows/dpp/new-passports.ts'
import { buildApplication, buildProductPassport, buildShop, type Shop } from '../../support/world.ts'
import { inspectPages, looks } from '../loyalty/walk.ts'
import { createVisitor, listLinks, readForm, readText, type Visitor } from './visitor.ts'

const path = '/console/passports/readiness'

describe('Console: readiness of passports', function () {
  this.timeout(120_000)
  let shop: Shop
  let owner: Visitor
  const passports: string[] = []
  before(async () => {
    shop = await buildShop()
    owner = createVisitor(await signInMember(shop.owner, shop.organization))
    for (const name of ['Field jacket', 'Rain jacket']) passports.push((await buildProductPassport(shop, { name })).id)
  })

  it('counts by rule, with severity and remedy, as the API does', async () => {
    expect(listLinks(await owner.get('/console/passports?status=draft'))).to.include(`${path}?status=draft`)
    const {
      passports: judged,
      ready,
      byRule,
    } = (await shop.api.get('/v1/dpp/readiness')).body as unknown as {
      passports: number
      ready: number
      byRule: { rule: string; severity: string; passports: number; fix?: string }[]
    }
    const text = readText(await owner.get(path))
    expect(text).to.contain(`Passports ${judged} Ready ${ready} With errors ${judged - ready}`)
    const names: Record<string, string> = { error: 'Error', warning: 'Warning', info: 'Note' }
    for (const { rule, severity, passports: count, fix } of byRule)
      expect(text).to.contain(`${names[severity]} ${rule} ${count} ${fix ?? ''}`)
    expect(byRule.length).to.be.above(0)
  })

  it('names the passports of a rule, with what to do', async () => {
    const link = listLinks(await owner.get(path)).find((address) => address.includes('rule=not_published')) ?? ''
    const page = await owner.get(link)
    expect(readText(page)).to.contain('All 2 passports.')
    expect(listLinks(page)).to.include.members(passports.map((id) => `/console/passports/${id}#readiness`))
    expect((await owner.get(`${path}?rule=no_such_rule`)).status).to.equal(400)
  })

  it('takes an application and the least severity from its address, and speaks French', async () => {
    const other = await buildApplication(shop.organization)
    const page = await owner.get(`${path}?severity=error&application=${shop.application}`)
    expect(readText(page))
      .to.contain('Passports 2')
      .and.to.not.match(/Note not_published/)
    expect(readForm(page, path)).to.include({ severity: 'error', application: shop.application })
    expect(readText(await owner.get(`${path}?application=${other}`))).to.contain('No passport to judge')
    expect(readText(await owner.get(path, 'fr'))).to.contain('Préparation des passeports')
  })

  it('judges as many as a page takes at a time, and says so, with the way on', async () => {
    const large = await buildShop()
    const { db } = await getOperator()
    const items = Array.from({ length: 53 }, (_, at) => ({ idGranularity: 'item', name: 'Bag', itemNumber: `${at}` }))
    await insertProductPassports(db, large, items)
    const member = createVisitor(await signInMember(large.owner, large.organization))
    const first = await member.get(path)
    expect(readText(first)).to.contain('of these 50').and.to.contain('Passports 50 Ready')
    const next = listLinks(first).find((address) => address.includes('cursor=')) ?? ''
    const rule = listLinks(first).find((address) => address.includes('rule=not_published')) ?? ''
    expect(readText(await member.get(rule))).to.contain('All 50 passports.')
    const ways = listLinks(await member.get(rule)).filter((address) => address.includes('cursor='))
    expect(ways.every((address) => address.includes('rule=not_published'))).to.equal(true)
    const second = await member.get(next)
    expect(readText(second)).to.contain('of these 3').and.to.contain('Passports 3 Ready')
    const ofRule = listLinks(second).find((address) => address.includes('rule=not_published')) ?? ''
    expect(readText(await member.get(ofRule))).to.contain('All 3 passports.')
    expect(listLinks(second)).to.include(path)
  })

  describeInBrowser('in Chromium', () => {
    it('has no fault that axe finds, and nothing is cut off', async () => {
      const browser = await openBrowser()
      for (const look of looks)
        await inspectPages(browser, { cookie: owner.cookie, look }, [path, `${path}?rule=not_published`])
      await browser.close()
    })
  })
})
