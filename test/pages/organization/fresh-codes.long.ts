import { expect } from 'chai'
import type { Operation } from '../../../core/kernel/operation.ts'
import { object } from '../../../core/kernel/schema.ts'
import { freeForms, guardedForms } from '../../../core/pages/console/fresh-sign-in/acts.ts'
import { guardPages, isConsoleForm } from '../../../core/pages/console/fresh-sign-in/guard.ts'
import { pageOperations } from '../../../core/app/operations.ts'
import { getOperator, readCodeFor, signInMember } from '../../core/identity/people.ts'
import { dateSessionsBack } from '../../support/rows/identity/organizations/deleted-organizations.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { buildOrganization, buildShop, type Shop, type Tenant } from '../../support/world.ts'
import { buildCustomer, type Customer } from '../loyalty/scenes.ts'
import { listAccessibilityFaults, loadAxe } from '../axe.ts'
import { createVisitor, readForm, readText, type Visitor } from '../passports/visitor.ts'
import { platform } from '../../support/platform.ts'

const again = '/console/sign-in/again'
const anyId = '00000000-0000-4000-8000-000000000000'

interface Schema {
  const?: string
  anyOf?: Schema[]
  enum?: string[]
  format?: string
  pattern?: string
  properties?: Record<string, Schema>
  required?: string[]
}

/** A text that a field of a form takes. */
function createText({ anyOf, const: only, enum: choices, format, pattern = '' }: Schema): string {
  const first = only ?? choices?.[0] ?? anyOf?.[0]?.const
  if (first !== undefined) return String(first)
  if (format === 'email') return 'ada@people.example'
  if (format === 'uuid' || pattern.includes('{8}')) return anyId
  const length = /^\^\[\\w-\]\{(\d+)\}\$$/.exec(pattern)?.[1]
  if (length !== undefined) return 'a'.repeat(Number(length))
  return pattern.includes('0-9') ? '1' : 'a text'
}

/** The fields that ask for an act itself where a form can also ask what it would do. */
const acting: Readonly<Record<string, Record<string, string>>> = {
  console_sheet_mint_write_page_v1: { act: 'mint' },
  console_import_start_page_v1: { what: 'import' },
  console_assignment_start_page_v1: { what: 'import' },
}

const createFields = ({ required = [], properties = {} }: Schema): Record<string, string> =>
  Object.fromEntries(required.map((name) => [name, createText(properties[name] ?? {})]))

/** An address of an operation, with parameters and the query that it needs. */
function createAddress({ declaration: { path, params = {}, query = {} } }: Operation): string {
  const address = path.replace(/:(\w+)/g, (_, name: string) =>
    params[name] ? createText(params[name] as Schema) : anyId,
  )
  const search = new URLSearchParams(createFields(object(query) as unknown as Schema)).toString()
  return search === '' ? address : `${address}?${search}`
}

const operations = new Map(pageOperations.map((operation) => [operation.declaration.id, operation]))
const getOperation = (id: string): Operation => {
  const operation = operations.get(id)
  if (!operation) throw new Error(`There is no operation ${id}`)
  return operation
}

const sendForm = (visitor: Visitor, id: string) => {
  const operation = getOperation(id)
  const { body } = operation.declaration
  return visitor.post(createAddress(operation), { ...createFields((body ?? {}) as Schema), ...acting[id] })
}

describe('Console: acts that cannot be undone, move money or give access', function () {
  this.timeout(240_000)
  let tenant: Tenant
  let old: Visitor
  let fresh: Visitor
  before(async () => {
    tenant = await buildOrganization()
    const cookie = await signInMember(tenant.owner, tenant.organization)
    await dateSessionsBack((await getOperator()).db, tenant.owner, 13)
    old = createVisitor(cookie)
    const other = await buildOrganization()
    fresh = createVisitor(await signInMember(other.owner, other.organization))
  })

  for (const [id, { question, kind }] of Object.entries(guardedForms)) {
    it(`${id} asks for a fresh code after 12 hours, and before that it does not`, async () => {
      if (kind === 'irreversible') expect(question, 'the page that says what will happen').to.be.a('string')
      const codePage = await sendForm(old, id)
      expect([codePage.status, codePage.text.includes(`action="${again}"`)], codePage.text).to.deep.equal([403, true])
      const passed = await sendForm(fresh, id)
      expect(passed.text).not.to.contain(`action="${again}"`)
      expect(String(passed.headers['location'] ?? '')).not.to.contain(again)
      expect([200, 303, 400, 404, 409, 422], passed.text).to.include(passed.status)
      if (question === undefined) return
      const address = createAddress(getOperation(question))
      const redirect = await old.get(address)
      expect([redirect.status, redirect.headers['location']]).to.deep.equal([
        303,
        `${again}?next=${encodeURIComponent(address)}`,
      ])
      expect(String((await fresh.get(address)).headers['location'] ?? '')).not.to.contain(again)
    })
  }

  it('are every form of the console but those that are listed as free', () => {
    const forms = pageOperations.filter(isConsoleForm).map(({ declaration }) => declaration.id)
    expect(forms.toSorted()).to.deep.equal([...Object.keys(guardedForms), ...freeForms].toSorted())
    const forgotten = { ...getOperation('console_key_revoke_page_v1') }
    const unlisted = { ...forgotten, declaration: { ...forgotten.declaration, id: 'console_vault_empty_page_v1' } }
    expect(() => guardPages([...pageOperations, unlisted])).to.throw('console_vault_empty_page_v1 has to be in one')
  })

  it('leave forms that are free, and looks at what would happen, without a code', async () => {
    expect((await old.post('/console/language', { language: 'en' })).status).to.equal(303)
    const looked = await old.post(`/console/sheets/${anyId}/mint`, { table: 'a', act: 'check' })
    expect(looked.status).to.equal(404)
  })

  it('forget a kept form that goes elsewhere', async () => {
    const sent = await old.post(again, { kept: JSON.stringify({ action: 'https://evil.example/', fields: {} }) })
    expect(sent.status).to.equal(200)
    expect(sent.text).not.to.contain('evil.example')
  })
})

describeInBrowser('Console: an act goes on after the fresh code', function () {
  this.timeout(120_000)
  let shop: Shop
  let customer: Customer
  before(async () => {
    shop = await buildShop()
    customer = await buildCustomer(shop, 'Ada Byron')
  })

  it('with what was entered, in French and accessible', async () => {
    const cookie = await signInMember(shop.owner, shop.organization)
    const browser = await openBrowser()
    const window = await browser.newContext({ locale: 'fr-FR', viewport: { width: 360, height: 740 }, bypassCSP: true })
    const [name = '', value = ''] = cookie.split('=')
    await window.addCookies([{ name, value, url: platform.api }])
    const page = await window.newPage()
    await page.goto(`${platform.api}/console/accounts/${customer.id}`)
    await page.getByText('Créditer ou reprendre des points').click()
    await page.getByLabel('Combien').fill('250')
    await page.getByLabel('Raison').fill('Une « boucle »\u200b, cassée & réparée')
    await dateSessionsBack((await getOperator()).db, shop.owner, 13)
    await page.getByRole('button', { name: 'Passer l’écriture' }).click()
    await page.getByRole('heading', { name: 'Est-ce bien vous ?' }).waitFor()
    await loadAxe(page)
    expect(await listAccessibilityFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'M’envoyer un code' }).click()
    await page.getByLabel('Votre code').waitFor()
    await page.getByLabel('Votre code').fill(await readCodeFor(shop.owner))
    await page.getByRole('button', { name: 'Se connecter' }).click()
    await page.getByRole('heading', { name: 'C’est bien vous' }).waitFor()
    await loadAxe(page)
    expect(await listAccessibilityFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Continuer' }).click()
    await page.getByRole('heading', { name: 'Créditer 250 points à Ada Byron ?' }).waitFor()
    await loadAxe(page)
    expect(await listAccessibilityFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Créditer les points' }).click()
    const entry = page.locator('tbody tr').first()
    await entry.waitFor()
    expect(await entry.innerText())
      .to.contain('Une « boucle »')
      .and.to.contain('+250')
    await browser.close()
  })

  it('comes back to the question, with its query', async () => {
    const visitor = createVisitor(await signInMember(shop.owner, shop.organization))
    await dateSessionsBack((await getOperator()).db, shop.owner, 13)
    const question = `/console/passports/bulk?act=archive&of=chosen&${anyId}=on`
    const redirect = await visitor.get(question)
    const codePage = await visitor.get(String(redirect.headers['location']))
    const sent = await visitor.post(again, readForm(codePage, again))
    expect(readText(sent)).to.contain('We sent six digits to')
    const fields = { ...readForm(sent, `${again}/code`), otp: await readCodeFor(shop.owner) }
    const back = await visitor.post(`${again}/code`, fields)
    expect([back.status, back.headers['location']]).to.deep.equal([303, question])
  })
})
