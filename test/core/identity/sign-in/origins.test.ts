import { expect } from 'chai'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { proveDomain } from '../../../support/network/domains.ts'
import { platform } from '../../../support/platform.ts'
import { buildPublishedPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import {
  codeOf,
  readCodeFor,
  createEmail,
  getOwnClient,
  listMessagesTo,
  requestCode,
  signInBuyer,
  signInMember,
  createUniqueName,
} from '../people.ts'

const mismatch = [403, 'AUTH_ORIGIN_MISMATCH']
const cookiesOf = ({ headers }: Answer) => [headers['set-cookie'] ?? []].flat()

/** What a browser says of a request that a page of another site sent. */
const foreign: Record<string, Record<string, string>> = {
  'a foreign Origin': { origin: 'https://evil.example' },
  'the Origin of no page': { origin: 'null' },
  'our host in another scheme': { origin: 'https://127.0.0.1' },
  'two Origins': { origin: 'http://127.0.0.1, https://evil.example' },
  'Sec-Fetch-Site of another site': { 'sec-fetch-site': 'cross-site' },
  'Sec-Fetch-Site of a neighbour': { 'sec-fetch-site': 'same-site' },
  'a foreign Referer': { referer: 'https://evil.example/form.html' },
}
const form = (path: string, fields: Record<string, string>, headers: Record<string, string>) =>
  createApiClient().post(path, undefined, {
    raw: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })

describe('Login forms posted by other sites', () => {
  let shop: Shop
  let door: string
  before(async () => {
    shop = await buildShop()
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop))
    door = String((await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)).body['token'])
  })

  it('are refused by every form of the pages, before anything is sent or signed in, and nothing sets a cookie', async () => {
    const email = createEmail('victim')
    const absent = '01a1f94a-0000-7000-8000-000000000000'
    const forms: [string, Record<string, string>][] = [
      ['/claim/code', { token: door, email }],
      ['/claim/sign-in', { token: door, email, otp: '123456' }],
      ['/claim', { token: door }],
      ['/console/sign-in', { email }],
      ['/console/sign-in/code', { email, otp: '123456' }],
      ['/console/organizations', { organization: absent }],
      ['/console/sign-out', {}],
    ]
    for (const [path, fields] of forms) {
      for (const [what, headers] of [...Object.entries(foreign), ['no word of where it is from', {}] as const]) {
        const answer = await form(path, fields, headers)
        expect([answer.status, cookiesOf(answer)], `${path} with ${what}`).to.deep.equal([403, []])
      }
      const site = { 'sec-fetch-site': 'same-origin' }
      expect((await form(path, fields, site)).status, `${path} of ours`).not.to.equal(403)
    }
    expect(await listMessagesTo(email), 'messages: two forms of ours').to.have.length(2)
  })

  it("sign nobody in as an attacker: the right code of another site's form opens nothing, and is still good", async () => {
    const attacker = createEmail('attacker')
    await requestCode(shop.application, attacker)
    const fields = { token: door, email: attacker, otp: await readCodeFor(attacker) }
    const stolen = await form('/claim/sign-in', fields, { origin: 'https://evil.example' })
    expect([stolen.status, cookiesOf(stolen)]).to.deep.equal([403, []])
    const ours = await form('/claim/sign-in', fields, { origin: platform.api })
    expect(cookiesOf(ours)[0]).to.match(/^tessera\.user=/)
  })
})

describe('/v1/auth routes called from a browser page: origins', () => {
  const member = { send: '/v1/auth/email-otp/send-verification-otp', open: '/v1/auth/sign-in/email-otp' }
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  it('refuse pages of other sites, and serve programs and our own pages as before', async () => {
    const email = createEmail()
    const buyer = { application: shop.application, type: 'email-otp', email }
    const calls: [string, object][] = [
      ['/v1/auth/send-otp', buyer],
      ['/v1/auth/verify-otp', { ...buyer, otp: '123456' }],
      [member.send, { email, type: 'sign-in' }],
      [member.open, { email, otp: '123456' }],
    ]
    for (const [path, body] of calls) {
      for (const [what, headers] of Object.entries(foreign)) {
        expect(codeOf(await createApiClient().post(path, body, { headers })), `${path} with ${what}`).to.deep.equal(
          mismatch,
        )
      }
      for (const headers of [{}, { origin: platform.api }, { 'sec-fetch-site': 'same-origin' }] as Record<
        string,
        string
      >[]) {
        expect((await createApiClient().post(path, body, { headers })).status, path).to.be.oneOf([204, 401])
      }
    }
  })

  it("give a page on a domain of the application a token and no cookie, and a page on another's nothing", async () => {
    const [mine, others] = [`${createUniqueName('shop')}.example`, `${createUniqueName('other')}.example`]
    const neighbour = await buildShop()
    await proveDomain(shop.api, shop.application, mine)
    await proveDomain(neighbour.api, neighbour.application, others)
    const email = createEmail()
    const body = { application: shop.application, type: 'email-otp', email }
    const at = (origin: string) => ({ headers: { origin } })
    expect((await createApiClient().post('/v1/auth/send-otp', body, at(`https://${mine}`))).status).to.equal(204)
    const otp = await readCodeFor(email)
    for (const origin of [
      `https://${others}`,
      `http://${mine}`,
      `https://${mine}:8443`,
      `https://x.${mine}`,
      `https://${mine}.evil.example`,
    ]) {
      expect(
        codeOf(await createApiClient().post('/v1/auth/verify-otp', { ...body, otp }, at(origin))),
        origin,
      ).to.deep.equal(mismatch)
    }
    const opened = await createApiClient().post('/v1/auth/verify-otp', { ...body, otp }, at(`https://${mine}`))
    expect([opened.status, cookiesOf(opened)]).to.deep.equal([200, []])
    expect((await createApiClient({ bearer: String(opened.body['token']) }).get('/v1/auth/session')).status).to.equal(
      200,
    )
    const email2 = createEmail()
    await createApiClient().post(member.send, { email: email2, type: 'sign-in' })
    const asMember = await createApiClient().post(
      member.open,
      { email: email2, otp: await readCodeFor(email2) },
      at(`https://${mine}`),
    )
    expect([...codeOf(asMember), cookiesOf(asMember)]).to.deep.equal([...mismatch, []])
  })

  it('take no cookie back for another site: sign-out and set-active are refused with a cookie and without', async () => {
    const cookie = await signInMember(shop.owner, shop.organization)
    const buyer = `tessera.user=${String((await signInBuyer(shop.application)).body['token'])}`
    for (const [what, headers] of Object.entries(foreign)) {
      for (const sent of [{}, { cookie: 'tessera.session=stale' }, { cookie }, { cookie: buyer }]) {
        const out = await createApiClient(sent).post('/v1/auth/sign-out', undefined, { headers })
        expect([...codeOf(out), cookiesOf(out)], `${what} ${JSON.stringify(sent)}`).to.deep.equal([...mismatch, []])
      }
      const chosen = await createApiClient({ cookie }).post(
        '/v1/auth/organization/set-active',
        { organizationId: shop.organization },
        { headers },
      )
      expect(codeOf(chosen), what).to.deep.equal(mismatch)
    }
    expect((await getOwnClient(cookie).get('/v1/auth/session')).status).to.equal(200)
    expect((await createApiClient().post('/v1/auth/sign-out')).status).to.equal(204)
  })
})
