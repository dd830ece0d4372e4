import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { getOperator, signInMember } from '../../core/identity/people.ts'
import { createApiClient } from '../../support/client.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { platform } from '../../support/platform.ts'
import { insertNumberedErrors } from '../../support/rows/imports/errors.ts'
import { insertImport } from '../../support/rows/imports/imports.ts'
import { buildShop, type Shop } from '../../support/world.ts'
import { formatLook, inspectPages, looks } from '../loyalty/walk.ts'
import { createVisitor, listLinks, readText, type Visitor } from '../passports/visitor.ts'

describeInBrowser('Console: imports in both languages', function () {
  this.timeout(240_000)
  let browser: Browser
  let shop: Shop
  let visitor: Visitor
  let draft: string
  let report: string

  before(async () => {
    shop = await buildShop()
    visitor = createVisitor(await signInMember(shop.owner, shop.organization))
    draft = await upload('nom;numéro;note\r\nSac;A-1;x\r\n;A-2;x\r\n')
    const { db } = await getOperator()
    report = await insertImport(db, shop, { fileName: '=list.csv', failed: 60, total: 60 })
    await insertNumberedErrors(db, report, 60)
    browser = await openBrowser()
  })
  after(() => browser.close())

  /** Uploads a file on the page. @returns the path of the next step, or the page that says what is wrong */
  async function send(text: string, language = 'en') {
    const boundary = 'a-line-between'
    const head = 'Content-Disposition: form-data; name="file"; filename="sacs.csv"'
    return createApiClient({ cookie: visitor.cookie }).post('/console/imports/new', undefined, {
      raw: [`--${boundary}`, head, '', text, `--${boundary}--`, ''].join('\r\n'),
      headers: {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        origin: new URL(platform.api).origin,
        'accept-language': language,
      },
    })
  }
  async function upload(text: string): Promise<string> {
    const sent = await send(text)
    expect(sent.status, sent.text).to.equal(303)
    return String(sent.headers['location'])
  }

  for (const look of looks)
    it(`has no fault that axe finds, and nothing is cut off, ${formatLook(look)}`, async () => {
      const { cookie } = visitor
      await inspectPages(browser, { cookie, look }, ['/console/imports', '/console/imports/new', draft])
      await visitor.post(draft, { application: shop.application, how: 'suggest' })
      await inspectPages(browser, { cookie, look }, [`${draft}/mapping`, `/console/imports/${report}`])
      await visitor.post(`${draft}/mapping`, { d0: 'product.name', d1: 'reference', granularity: 'item' })
      await inspectPages(browser, { cookie, look }, [`${draft}/preview`])
    })

  it('speaks French from the file to the report', async () => {
    const read = async (path: string) => readText(await visitor.get(path, 'fr'))
    expect(await read('/console/imports'))
      .to.contain('Nouvel import')
      .and.to.contain('=list.csv')
    expect(await read(draft))
      .to.contain('Étape 2 sur 4')
      .and.to.contain('séparé par des points-virgules, 3 colonnes')
    await visitor.post(draft, { application: shop.application, how: 'suggest' })
    const mapping = await read(`${draft}/mapping`)
    expect(mapping).to.contain('Va vers (nom)').and.to.contain('Numéro de série de l’article')
    expect(mapping).not.to.contain('Serial number of the item')
    const nothing = await visitor.post(`${draft}/mapping`, { d0: '' }, { 'accept-language': 'fr' })
    expect([nothing.status, readText(nothing).includes('Aucune colonne ne va encore')]).to.deep.equal([400, true])
    await visitor.post(`${draft}/mapping`, { d0: 'product.name', d1: 'reference', granularity: 'item' })
    expect(await read(`${draft}/preview`)).to.contain('Les premières lignes en passeports')
    const shown = await visitor.get(`/console/imports/${report}`, 'fr')
    expect(readText(shown)).to.contain('Laissés de côté, car ils existent déjà').and.to.contain('Ce qui ne va pas')
    expect(shown.text).to.match(/<time [^>]*data-shown="instant"/)
    const refused = await send(' \n', 'fr')
    expect([refused.status, readText(refused).includes('Le fichier est vide.')]).to.deep.equal([400, true])
    const gone = await visitor.get(draft.replace(/[^/]+$/, report), 'fr')
    expect([gone.status, readText(gone).includes('Ce fichier n’est plus ici')]).to.deep.equal([404, true])
  })

  it('downloads all imports as CSV, without formulas', async () => {
    expect(listLinks(await visitor.get('/console/imports'))).to.include('/console/imports.csv')
    const file = await visitor.get('/console/imports.csv')
    expect(file.headers['content-type']).to.contain('text/csv')
    const [head = '', row = ''] = file.text.split('\r\n')
    expect(head).to.equal(
      'id,file_name,application,mapper,source,format,dry_run,on_duplicate,status,completed,failed,created_at,finished_at',
    )
    expect(row).to.contain(`${report},'=list.csv,${shop.application},`)
  })
})
