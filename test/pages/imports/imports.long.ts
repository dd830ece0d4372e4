import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { getOperator, getOwnClient, signInMember } from '../../core/identity/people.ts'
import { buildMember, buildShop, type Shop } from '../../support/world.ts'
import { insertNumberedErrors } from '../../support/rows/imports/errors.ts'
import { insertImport } from '../../support/rows/imports/imports.ts'
import { getRows } from '../../core/dpp/passports/fixtures.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { createApiClient } from '../../support/client.ts'
import { advanceImport } from '../../support/rows/imports/import-progress.ts'
import { platform } from '../../support/platform.ts'
import { tabTo } from './keyboard.ts'
import { measureOverhang, takePicture, signInByPages } from '../scenes.ts'

const console = `${platform.api}/console`
const file = (name: string, text: string, mimeType = 'text/csv') => ({ name, mimeType, buffer: Buffer.from(text) })

/** A German list of five good rows and a bad one, as office programs write it. */
const german = (series: string) =>
  [
    '\ufeffArtikelnummer;Bezeichnung;Marke;Seriennummer;Herstellungsdatum;Farbe;Interne Notiz',
    ...Array.from(
      { length: 5 },
      (_, at) => `M-7;Wanderstiefel „Höhe“;Bergfreund;${series}-${at};0${at + 1}.03.2026;grün;x`,
    ),
    `M-7;Wanderstiefel;Bergfreund;${series}-9;31.02.2026;grün;x`,
    '',
  ].join('\r\n')

describeInBrowser('Console: an import by a member', function () {
  this.timeout(120_000)
  let browser: Browser
  let shop: Shop
  let cookie: string
  const contexts: BrowserContext[] = []

  before(async () => {
    shop = await buildShop()
    cookie = await signInMember(shop.owner, shop.organization)
    browser = await openBrowser()
  })
  after(() => browser.close())
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })

  async function open(options: { width: number; script: boolean; as?: string }, path = '/imports'): Promise<Page> {
    const { width, script, as = cookie } = options
    const context = await browser.newContext({ viewport: { width, height: 800 }, javaScriptEnabled: script })
    contexts.push(context)
    const [name = '', value = ''] = as.split('=')
    if (value) await context.addCookies([{ name, value, url: platform.api }])
    const page = await context.newPage()
    await page.goto(`${console}${path}`)
    return page
  }
  const fits = async (page: Page, name: string) => {
    await takePicture(page, name)
    await takePicture(page, `${name}-whole`, true)
    expect(await measureOverhang(page), `${name} is wider than its window`).to.equal(0)
  }
  const madeBy = async (series: string) =>
    getRows(await shop.api.get('/v1/dpp/passports?pageSize=100&filters[source][eq]=import')).filter(({ product }) =>
      String((product as { itemNumber?: string } | null)?.itemNumber).startsWith(series),
    )

  it('goes from the sign-in to a report on a phone of 360 pixels, without scripts', async () => {
    const page = await open({ width: 360, script: false, as: '' })
    await signInByPages(browser, page, shop.owner)
    await page.getByRole('link', { name: 'New import' }).click()
    await fits(page, 'import-1-upload')
    await page.getByLabel('File').setInputFiles(file('stiefel.csv', german('P')))
    await page.getByRole('button', { name: 'Upload' }).click()
    const described = 'stiefel.csv: CSV, UTF-8, separated by semicolon, 7 columns'
    expect(await page.locator('main').innerText()).to.contain(described)
    await fits(page, 'import-2-choice')
    await page.getByRole('button', { name: 'Go on' }).click()
    await fits(page, 'import-3-mapping')
    const goes = (column: string) => page.getByLabel(`Goes to (${column})`)
    expect(await goes('Bezeichnung').inputValue()).to.equal('product.name')
    expect(await goes('Interne Notiz').inputValue()).to.equal('')
    await goes('Artikelnummer').selectOption('product.modelNumber')
    await goes('Seriennummer').selectOption('product.itemNumber')
    await page.getByLabel('Each row is').selectOption('item')
    await page.getByRole('button', { name: 'See the first rows' }).click()
    await page.getByText('1 of the first 6 rows would fail.').waitFor()
    await fits(page, 'import-4-preview')
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByText('Would be created').waitFor()
    expect(await madeBy('P')).to.deep.equal([])
    await fits(page, 'import-5-dry-run')
    await page.getByRole('link', { name: 'Go on to the import' }).click()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('Created', { exact: true }).waitFor()
    const counts = (await page.getByRole('region', { name: 'Counts' }).innerText()).replaceAll(/\s+/g, ' ')
    expect(counts).to.contain('Created 5').and.to.contain('Failed 1')
    await fits(page, 'import-6-report')
    const [row] = await page.getByRole('row').filter({ hasText: '31.02.2026' }).all()
    expect(await row?.innerText())
      .to.match(/^7\s/)
      .and.to.contain('product.productionDate')
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download all of them' }).click()
    const report = readFileSync(await (await downloading).path(), 'utf8')
    expect(report).to.contain('line,path,code,message,value,severity').and.to.contain('31.02.2026')
    expect((await madeBy('P')).length).to.equal(5)
  })

  it('does the next file of the kind with the keyboard alone, by the mapper that was saved', async () => {
    const page = await open({ width: 1200, script: true }, '/imports/new')
    const chooser = page.waitForEvent('filechooser')
    await tabTo(page, 'File')
    await page.keyboard.press('Enter')
    await (await chooser).setFiles(file('stiefel 2.csv', german('Q')))
    await tabTo(page, 'Upload')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'How the file is read' }).waitFor()
    await tabTo(page, /^Suggest a mapping/)
    await page.keyboard.press('ArrowDown')
    await tabTo(page, 'Go on')
    await page.keyboard.press('Enter')
    await page.getByText('1 of the first 6 rows would fail.').waitFor()
    await fits(page, 'import-desk-preview')
    await tabTo(page, 'Import')
    await page.keyboard.press('Enter')
    await page.getByText('Created', { exact: true }).waitFor()
    await fits(page, 'import-desk-report')
    await tabTo(page, 'All imports')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Imports' }).waitFor()
    const newest = await page.getByRole('article').first().innerText()
    expect(newest).to.contain('stiefel 2.csv').and.to.contain('by the mapper stiefel')
    await fits(page, 'imports-desk')
    expect((await madeBy('Q')).length).to.equal(5)
  })

  it('sees an import go on without loading the page again, and then its report', async () => {
    const { db } = await getOperator()
    const id = await insertImport(db, shop, {
      status: 'pending',
      total: 1_000,
      completed: 100,
      fileName: 'big.csv',
      bytes: 1_000,
      doneBytes: 100,
    })
    const page = await open({ width: 360, script: true }, `/imports/${id}`)
    await page.evaluate('window.same = true')
    await page.getByText('10 %').waitFor()
    await advanceImport(db, id, { doneBytes: 720, completed: 620 })
    await page.getByText('72 %').waitFor()
    expect(await page.evaluate('[window.same, document.querySelector("progress").value]')).to.deep.equal([true, 0.72])
    await fits(page, 'import-progress')
    await advanceImport(db, id, { doneBytes: 1_000, completed: 1_000, status: 'completed' })
    await page.getByRole('region', { name: 'Counts' }).waitFor()
  })

  it('pages through errors and imports, and reads on a phone', async () => {
    const { db } = await getOperator()
    const other = await buildShop()
    const as = await signInMember(other.owner, other.organization)
    for (let at = 0; at < 21; at++) {
      const createdAt = new Date(Date.now() - at * 1000)
      await insertImport(db, other, { fileName: `file-${at}.csv`, createdAt })
    }
    const id = await insertImport(db, other, { fileName: 'many.csv', failed: 120, total: 120 })
    await insertNumberedErrors(db, id, 120)
    const page = await open({ width: 360, script: false, as })
    await fits(page, 'imports-phone')
    await page.getByRole('link', { name: 'Next page' }).click()
    expect(await page.getByRole('article').count()).to.equal(2)
    await page.goto(`${console}/imports/${id}`)
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.getByRole('link', { name: 'Next page' }).click()
    expect(await page.getByRole('row').count()).to.equal(21)
    expect(await page.getByRole('link', { name: 'Next page' }).count()).to.equal(0)
  })

  it('is told in a sentence what is wrong with a file or a mapping, and can mend it', async () => {
    const page = await open({ width: 360, script: false }, '/imports/new')
    const readAlert = async () => page.getByRole('alert').innerText()
    const send = async (name: string, text: string, type?: string) => {
      await page.getByLabel('File').setInputFiles(file(name, text, type))
      await page.getByRole('button', { name: 'Upload' }).click()
    }
    await send('picture.png', '\u0089PNG', 'image/png')
    expect(await readAlert()).to.contain('neither CSV, JSON nor an Excel workbook')
    await send('empty.csv', ' \n')
    expect(await readAlert()).to.match(/empty|nothing|no /i)
    await fits(page, 'import-refused')
    await send('broken.csv', 'name\n"Bag\n')
    expect(await readAlert()).to.contain('line 2 opens a quotation')
    await page.getByRole('link', { name: 'upload it again' }).click()
    await send('names.csv', 'name\nBag\n')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByLabel('Goes to (name)').selectOption('')
    await page.getByRole('button', { name: 'See the first rows' }).click()
    expect(await readAlert()).to.contain('No column goes anywhere')
    await page.getByLabel('Goes to (name)').selectOption('*')
    await page.getByText('Path and changes').click()
    await page.getByLabel('Another path for name').fill('nonsense.path')
    await page.getByLabel('Changes to the value, one a line (name)').fill('shout')
    await page.getByRole('button', { name: 'See the first rows' }).click()
    expect(await readAlert()).to.contain('name: destination')
    await fits(page, 'import-mapping-wrong')
    await page.getByLabel('Another path for name').fill('data.myName')
    await page.getByRole('button', { name: 'See the first rows' }).click()
    expect(await readAlert()).to.contain('name: transforms[0]')
  })

  it('imports items that are passports already as they are', async () => {
    const page = await open({ width: 1200, script: true }, '/imports/new')
    const items = [1, 2].map((at) => ({ product: { idGranularity: 'item', name: 'Bag', itemNumber: `J-${at}` } }))
    await page.getByLabel('File').setInputFiles(file('bags.json', JSON.stringify(items), 'application/json'))
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('radio', { name: 'Nothing to map' }).check()
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('The first 2 rows are good.').waitFor()
    const preview = page.url()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('Created', { exact: true }).waitFor()
    expect((await page.goto(preview))?.status(), 'a file is imported once').to.equal(404)
    await page.getByRole('heading', { name: 'This file is no longer here' }).waitFor()
    expect((await madeBy('J')).length).to.equal(2)
  })

  it('has no button that their role does not allow', async () => {
    const viewer = await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization)
    const page = await open({ width: 360, script: false, as: viewer })
    expect(await page.getByRole('link', { name: 'New import' }).count()).to.equal(0)
    expect((await page.goto(`${console}/imports/new`))?.status()).to.equal(403)
    const { status } = await getOwnClient(viewer).post('/console/imports/new')
    expect(status).to.equal(403)
  })
})

describe('Console: pages of imports', () => {
  const origin = new URL(platform.api).origin
  const boundary = 'a-line-between'
  const upload = (cookie: string, text: string, from = origin) => {
    const head = 'Content-Disposition: form-data; name="file"; filename="bags.json"'
    return createApiClient({ cookie }).post('/console/imports/new', undefined, {
      raw: [`--${boundary}`, head, '', text, `--${boundary}--`, ''].join('\r\n'),
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, origin: from },
    })
  }
  const send = (cookie: string, path: string, fields: Record<string, string>, from = origin) =>
    createApiClient({ cookie }).post(path, undefined, {
      raw: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: from },
    })
  const newDraft = async () => {
    const shop = await buildShop()
    const cookie = await signInMember(shop.owner, shop.organization)
    const sent = await upload(cookie, '[{"product": {"idGranularity": "item", "name": "Bag", "itemNumber": "1"}}]')
    expect(sent.status, sent.text).to.equal(303)
    return { shop, cookie, path: String(sent.headers['location']) }
  }
  const begin = { onDuplicate: 'skip', what: 'import' }

  it('are as good as absent for other organizations, at every step', async () => {
    const { path } = await newDraft()
    const { shop, cookie } = await newDraft()
    const { db } = await getOperator()
    const id = await insertImport(db, await buildShop())
    const shown = [
      `/console/imports/${id}`,
      `/console/imports/${id}/errors.csv`,
      path,
      `${path}/mapping`,
      `${path}/preview`,
    ]
    for (const step of shown) {
      expect((await createApiClient({ cookie }).get(step)).status, step).to.equal(404)
    }
    const how = { application: shop.application, how: 'plain' }
    const sent = [
      [path, how],
      [`${path}/mapping`, { d0: 'reference' }],
      [`${path}/start`, begin],
    ] as const
    for (const [step, fields] of sent) {
      expect((await send(cookie, step, fields)).status, step).to.equal(404)
    }
  })

  it('take no form of another site', async () => {
    const { cookie, path } = await newDraft()
    expect((await upload(cookie, '[]', 'https://evil.example')).status).to.equal(403)
    expect((await send(cookie, `${path}/start`, begin, 'https://evil.example')).status).to.equal(403)
  })

  it('import a file once, however often the button is pressed', async () => {
    const { shop, cookie, path } = await newDraft()
    await send(cookie, path, { application: shop.application, how: 'plain' })
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(cookie, `${path}/start`, begin)))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([303, 404, 404, 404])
    expect((await shop.api.get('/v1/imports?filters[name][eq]=batch')).body['total']).to.equal(1)
  })

  it('lead who is not signed in to the sign-in, and back', async () => {
    const { path } = await newDraft()
    for (const step of ['/console', '/console/imports', path]) {
      const { status, headers } = await createApiClient().get(step)
      expect([status, String(headers['location']).split('?')[0]], step).to.deep.equal([303, '/console/sign-in'])
    }
  })
})
