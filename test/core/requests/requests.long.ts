import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { listRemovals } from '../../../core/app/retentions.ts'
import { removeOldRows } from '../../../core/queue/upkeep/retention.ts'
import { connectClient, readResourceText } from '../../support/bridge/bridge-client.ts'
import { createApiClient } from '../../support/client.ts'
import { startSecondServer } from '../../support/network/second-server.ts'
import { platform } from '../../support/platform.ts'
import {
  countLoggedRequests,
  holdRequestLog,
  insertLoggedRequests,
  readLoggedText,
} from '../../support/rows/requests/request-log.ts'
import {
  buildBuyer,
  buildKey,
  buildMember,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'
import { createEmail, getOperator, getOwnClient, signInMember } from '../identity/people.ts'
import { readRequests, readRequestsWith } from './reading.ts'

const dayMs = 86_400_000
const withId = (id: string) => ({ headers: { 'x-request-id': id } })

describe('Log of requests', function () {
  this.timeout(120_000)
  let shop: Shop
  let cookie: string
  before(async () => {
    shop = await buildShop()
    cookie = await signInMember(shop.owner, shop.organization)
  })

  /** A request of the shop's key, after which everything that came before it is logged. */
  async function readAfterLast(): Promise<Awaited<ReturnType<typeof readRequests>>> {
    const last = randomUUID()
    await shop.api.get('/v1/applications', withId(last))
    return readRequestsWith(cookie, last)
  }

  it('has operation, status, code, duration, id and credential of what keys and members call', async () => {
    const [listed, absent, invalid, page, read] = Array.from({ length: 5 }, () => randomUUID())
    await shop.api.get('/v1/dpp/passports', withId(listed!))
    await shop.api.get(`/v1/dpp/passports/${randomUUID()}`, withId(absent!))
    await shop.api.post('/v1/dpp/products', { name: 7 }, withId(invalid!))
    await getOwnClient(cookie).get('/v1/applications', undefined, { 'x-request-id': read! })
    await getOwnClient(cookie).get('/console/members', undefined, { 'x-request-id': page! })
    const lines = await readAfterLast()
    const shown = (id: string | undefined) => {
      const { operation, status, code, credential, kind } = lines.find((line) => line.request_id === id)!
      return [operation, status, code, credential, kind]
    }
    const key = `Test …${shop.key.slice(-4)}`
    expect(shown(listed)).to.deep.equal(['list_dpp_passports_v1', '200', '', key, 'key'])
    expect(shown(absent)).to.deep.equal(['get_dpp_passport_v1', '404', 'NOT_FOUND', key, 'key'])
    expect(shown(invalid)).to.deep.equal(['create_dpp_product_v1', '400', 'INVALID_REQUEST', key, 'key'])
    expect(shown(read)).to.deep.equal(['list_applications_v1', '200', '', shop.owner, 'member'])
    expect(shown(page)).to.deep.equal(['console_members_page_v1', '200', '', shop.owner, 'member'])
    for (const { ms, time } of lines) {
      expect(Number(ms)).to.be.within(0, 60_000)
      expect(Date.now() - Date.parse(time)).to.be.within(0, 120_000)
    }
    expect(lines.map(({ time }) => time)).to.deep.equal(
      lines
        .map(({ time }) => time)
        .sort()
        .reverse(),
    )
  })

  it('has what assistants call over the bridge under its operation', async () => {
    const { key, id } = await buildKey(shop.organization, { dpp: ['read'] })
    const client = await connectClient(platform.bridge, { 'x-api-key': key })
    await readResourceText(client, `${platform.api}/v1/dpp/products`)
    await client.close()
    await readAfterLast()
    const lines = await readRequests(cookie, `?credential=${id}`)
    expect(lines.map(({ operation, status }) => [operation, status])).to.deep.equal([['list_dpp_products_v1', '200']])
  })

  it('has no value, no path, no address and no secret', async () => {
    const sheet = await buildSheet(shop)
    const secret = `secret-${randomUUID()}`
    const passport = await buildPassport(shop, sheet, {
      fields: { serialNumber: secret.slice(0, 40) },
      reference: secret,
    })
    const email = createEmail('nobody')
    await shop.api.get(`/v1/dpp/passports?filters[allowedClaimEmail][eq]=${email}`)
    await shop.api.get(`/v1/dpp/passports/${passport.id}`)
    await getOwnClient(cookie).get(`/console/search?q=${secret}`)
    await readAfterLast()
    const kept = await readLoggedText((await getOperator()).db, shop.organization)
    expect(kept).to.contain('get_dpp_passport_v1')
    const token = cookie.slice(cookie.indexOf('=') + 1)
    for (const text of [
      secret.slice(0, 40),
      email,
      passport.id,
      sheet,
      shop.key,
      token,
      shop.owner,
      '127.0.0.1',
      '/v1/',
    ])
      expect(kept, text).to.not.contain(text)
  })

  it('has nothing of buyers, of nobody, of public pages and of health, and nothing of another organization', async () => {
    const other = await buildShop()
    const sheet = await buildSheet(other)
    const { id } = await buildPublishedPassport(other, sheet)
    const buyer = await buildBuyer(other)
    const theirs = await signInMember(other.owner, other.organization)
    const left = Array.from({ length: 5 }, () => randomUUID())
    await buyer.get('/v1/auth/session', withId(left[0]!))
    await createApiClient().get(`/v1/dpp/passports/${id}`, withId(left[1]!))
    await getOwnClient(theirs).get(`/p/${id}`, undefined, { 'x-request-id': left[2]! })
    await other.api.get('/health/ready', { ...withId(left[3]!), skipsDocumentCheck: true })
    await createApiClient(`tsr_test_${'a'.repeat(40)}`).get('/v1/applications', withId(left[4]!))
    const own = randomUUID()
    await shop.api.get('/v1/applications', withId(own))
    const last = randomUUID()
    await other.api.get('/v1/applications', withId(last))
    const seen = (await readRequestsWith(theirs, last)).map(({ request_id: requestId }) => requestId)
    expect(seen.filter((each) => [...left, own].some((id) => id === each))).to.deep.equal([])
    const mine = (await readRequestsWith(cookie, own)).map(({ request_id: requestId }) => requestId)
    expect(mine).to.not.include(last)
  })

  it('is for owners, administrators and editors, and not for viewers', async () => {
    const editor = await signInMember(await buildMember(shop.organization, 'editor'), shop.organization)
    const viewer = await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization)
    for (const path of ['/console/developers', '/console/developers.csv']) {
      expect((await getOwnClient(editor).get(path)).status, path).to.equal(200)
      expect((await getOwnClient(viewer).get(path)).status, path).to.equal(403)
    }
    expect((await getOwnClient(viewer).get('/console/assistant')).text).to.not.contain('/console/developers')
  })

  it('keeps the newest thousand of an organization, and takes the others away', async () => {
    const busy = await buildShop()
    const theirs = await signInMember(busy.owner, busy.organization)
    const send = async (word: string, count: number) => {
      for (let at = 0; at < count; at += 30)
        await Promise.all(
          Array.from({ length: Math.min(30, count - at) }, (_, nth) =>
            busy.api.get('/v1/applications?pageSize=1&fields=id', withId(`${word}-${at + nth}`)),
          ),
        )
    }
    await send('old', 210)
    await readRequestsWith(theirs, 'old-209')
    await send('new', 1_200)
    const last = randomUUID()
    await busy.api.get('/v1/applications', withId(last))
    const lines = await readRequestsWith(theirs, last)
    expect(lines).to.have.length(1_000)
    // The downloads are requests as well.
    const called = lines.filter(({ operation }) => operation === 'list_applications_v1')
    expect(called[0]?.request_id).to.equal(last)
    expect(called.filter(({ request_id: id }) => id.startsWith('old'))).to.deep.equal([])
    const { db } = await getOperator()
    expect(await countLoggedRequests(db, busy.organization)).to.be.within(1_000, 1_200)
  })

  it('keeps a request for 30 days', async () => {
    const { db, settings } = await getOperator()
    const quiet = await buildShop()
    const theirs = await signInMember(quiet.owner, quiet.organization)
    const before = (days: number) => new Date(Date.now() - days * dayMs)
    await insertLoggedRequests(db, {
      organization: quiet.organization,
      key: randomUUID(),
      requests: [
        ['young', before(29)],
        ['old', before(31)],
      ],
    })
    const readIds = async () =>
      (await readRequests(theirs, '?operation=list_dpp_passports_v1')).map(({ request_id: id, credential }) => [
        id,
        credential,
      ])
    // Their key is not there any more.
    expect(await readIds()).to.deep.equal([['young', '']])
    const [, retention] = listRemovals(settings).find(([table]) => table === 'request_log') ?? []
    const clean = (at: Date) => removeOldRows(db, 'request_log', retention!, at)
    await clean(new Date())
    expect(await countLoggedRequests(db, quiet.organization)).to.be.at.least(1)
    expect(await readIds()).to.deep.equal([['young', '']])
    await clean(before(-2))
    expect(await readIds()).to.deep.equal([])
  })

  it('holds up no request while it cannot be written, and is written later', async () => {
    const { db } = await getOperator()
    const release = await holdRequestLog(db)
    const id = randomUUID()
    try {
      for (const each of [id, randomUUID()])
        expect((await shop.api.get('/v1/applications', withId(each))).status).to.equal(200)
    } finally {
      await release()
    }
    await readRequestsWith(cookie, id)
  })

  it('is written when a process stops', async () => {
    const second = await startSecondServer(platform)
    const id = randomUUID()
    const api = createApiClient(shop.key, second.api)
    expect((await api.get('/v1/applications', withId(id))).status).to.equal(200)
    second.kill('SIGTERM')
    expect(await second.ended).to.equal(0)
    expect((await readRequests(cookie)).map(({ request_id: each }) => each)).to.include(id)
  })
})
