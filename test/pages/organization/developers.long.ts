import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { readRequestsWith } from '../../core/requests/reading.ts'
import { getOperator, getOwnClient, signInMember } from '../../core/identity/people.ts'
import { createApiClient } from '../../support/client.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { repeatUntil, waitUntil } from '../../support/processes.ts'
import { failJob } from '../../support/rows/queue/job-changes.ts'
import { insertJobs } from '../../support/rows/queue/job-rows.ts'
import { buildKey, buildMember, buildShop, type Shop } from '../../support/world.ts'
import { consoleAddress, follow, goTo, openWindow } from '../loyalty/scenes.ts'
import { inspectPages, looks } from '../loyalty/walk.ts'

const path = '/console/developers'
const withId = (id: string) => ({ headers: { 'x-request-id': id } })

describe('Console: developers', function () {
  this.timeout(120_000)
  let shop: Shop
  let cookie: string
  before(async () => {
    shop = await buildShop()
    cookie = await signInMember(shop.owner, shop.organization)
  })

  const readPage = async (query = '', headers: Record<string, string> = {}) => {
    const answer = await getOwnClient(cookie).get(`${path}${query}`, undefined, headers)
    expect(answer.status, answer.text).to.equal(200)
    return answer.text
  }
  const listRows = (text: string) => {
    const table = /<table class="cards" aria-label="Requests">.*?<\/table>/s.exec(text)?.[0] ?? ''
    return [...table.matchAll(/<tr><td.*?<\/tr>/gs)].map(([row]) =>
      row
        .replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
  }
  const getNext = (text: string) => /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&')

  /** Fails a job of any type, as its worker does at last. @returns its id */
  async function failNewJob(type: 'publish' | 'import' | 'delete', organization = shop.organization): Promise<string> {
    const { db } = await getOperator()
    const [id = ''] = await insertJobs(db, [{ organization, type, dueInSeconds: 3_600 }])
    await failJob(db, id, { attempts: 20 })
    return id
  }
  const retry = (id: string, by = cookie) => getOwnClient(by).post(`${path}/jobs/${id}/retry`)
  const readStatus = async (id: string) => (await shop.api.get(`/v1/jobs/${id}`)).body.status

  it('shows the newest requests first, 50 on a page, as far as the filters of the address fit', async () => {
    const { key, id: credential } = await buildKey(shop.organization, { dpp: ['read'] })
    const [refused, last] = [randomUUID(), randomUUID()]
    const reader = createApiClient(key)
    await reader.get('/v1/accounts', withId(refused))
    for (let nth = 0; nth < 60; nth++) await reader.get('/v1/dpp/products', withId(`listed-${nth}`))
    await reader.get('/v1/dpp/passports', withId(last))
    await readRequestsWith(cookie, last)
    const first = await readPage(`?credential=${credential}`)
    expect(listRows(first)).to.have.length(50)
    expect(listRows(first)[0]).to.match(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC list_dpp_passports_v1 200 \d+ ms Test …/)
    const second = await getOwnClient(cookie).get(String(getNext(first)))
    expect(listRows(second.text)).to.have.length(12)
    expect(listRows(second.text).at(-1)).to.contain(`403 AUTH_INSUFFICIENT_PERMISSIONS`).and.to.contain(refused)
    expect(getNext(second.text)).to.equal(undefined)
    const failed = listRows(await readPage(`?credential=${credential}&failed=yes`))
    expect(failed.map((row) => row.split(' ').at(-1))).to.deep.equal([refused])
    expect(listRows(await readPage(`?credential=${credential}&operation=list_dpp_passports_v1`))).to.have.length(1)
    expect(await readPage('?operation=nothing_v1')).to.contain('No request fits.')
    expect((await getOwnClient(cookie).get(`${path}?credential=x`)).status).to.equal(400)
  })

  it('says what to do in an organization without requests, in both languages', async () => {
    const quiet = await buildShop()
    const theirs = await signInMember(quiet.owner, quiet.organization)
    // The sign-in itself is logged a little later.
    const { text } = await getOwnClient(theirs).get(path, undefined, { 'accept-language': 'fr' })
    expect(text).to.contain('Aucune tâche n’a échoué.')
    expect(await readPage('', { 'accept-language': 'fr' })).to.contain('Seulement les échecs')
  })

  it('shows the jobs that failed with their cause, and runs one again, once', async () => {
    const id = await failNewJob('publish')
    const text = await repeatUntil('it is shown', readPage, (page) => page.includes(id))
    expect(text).to.contain(`action="${path}/jobs/${id}/retry"`)
    for (const _ of [1, 2]) {
      const answer = await retry(id)
      expect([answer.status, answer.headers['location']], answer.text).to.deep.equal([303, `${path}#jobs`])
    }
    await waitUntil('the worker has done it', async () => (await readStatus(id)) === 'completed')
    expect(await readPage()).to.not.contain(id)
    expect((await retry(id)).status).to.equal(303)
    expect(await readStatus(id)).to.equal('completed')
  })

  it('runs nothing again that gives up its work, that the role may not start, or that is foreign', async () => {
    const imported = await failNewJob('import')
    const removed = await failNewJob('delete')
    const editor = await signInMember(await buildMember(shop.organization, 'editor'), shop.organization)
    const { text } = await getOwnClient(editor).get(path)
    expect(text).to.not.contain(imported).and.to.not.contain(removed)
    const refused = await retry(imported)
    expect(refused.status, refused.text).to.equal(422)
    expect(refused.text).to.contain('The job was not run again')
    expect((await retry(removed, editor)).status).to.equal(403)
    expect(await readPage()).to.contain(removed)
    const viewer = await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization)
    expect((await retry(removed, viewer)).status).to.equal(403)
    const foreign = await failNewJob('publish', (await buildShop()).organization)
    expect((await retry(foreign)).status).to.equal(404)
    expect((await retry(randomUUID())).status).to.equal(404)
    expect(await readStatus(removed)).to.equal('failed')
  })

  describeInBrowser('in a browser', () => {
    it('are read and used without a script, and on a phone each row is a card', async () => {
      await failNewJob('publish')
      const browser = await openBrowser()
      const window = await openWindow(browser, { cookie })
      const page = await window.newPage()
      await goTo(page, `${consoleAddress}/members`)
      await follow(page.getByRole('link', { name: 'Developers', exact: true }))
      await page.getByLabel('Only what failed').check()
      await follow(page.getByRole('button', { name: 'Show' }))
      expect(new URL(page.url()).searchParams.get('failed')).to.equal('yes')
      await follow(page.getByRole('button', { name: /^Run again: publish/ }).first())
      expect(new URL(page.url()).hash).to.equal('#jobs')
      for (const look of looks.slice(0, 2)) await inspectPages(browser, { cookie, look }, [path, '/console/assistant'])
      const narrow = await (await openWindow(browser, { cookie, width: 360 })).newPage()
      await goTo(narrow, `${consoleAddress}/developers`)
      expect(await narrow.evaluate(`getComputedStyle(document.querySelector('.cards tr')).display`)).to.equal('block')
      await browser.close()
    })
  })
})
