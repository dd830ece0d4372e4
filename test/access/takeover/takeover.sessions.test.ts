import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import {
  codeOf,
  readCodeFor,
  createEmail,
  getOperator,
  createOtherCode,
  getOwnClient,
  requestCode,
  signInBuyer,
  signInMember,
  verifyOtp,
} from '../../core/identity/people.ts'
import {
  buildApplication,
  buildOrganization,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Tenant,
} from '../../support/world.ts'
import { describeInBrowser, openBrowser } from '../../support/network/chromium.ts'
import { createApiClient, type Answer, type Json } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { listStoredTokens } from '../../support/rows/identity/session-tokens.ts'
import { serveText } from '../foreign-pages.ts'

const tokenOf = ({ body }: Answer) => String(body['token'])
const bearer = (token: string) => createApiClient({ bearer: token })
const unauthenticated = [401, 'AUTH_UNAUTHENTICATED']
const absent = '01a1f94a-0000-7000-8000-000000000000'

describe('Tenant isolation: sessions and sign-in codes of another tenant', () => {
  let victim: Tenant
  let attacker: Tenant
  before(async () => {
    victim = await buildOrganization()
    attacker = await buildOrganization()
  })

  it('prevents session fixation: sign-in replaces a session that was planted before', async () => {
    const planted = {
      known: tokenOf(await signInBuyer(attacker.application, createEmail('attacker'))),
      made: 'A'.repeat(32),
    }
    for (const token of Object.values(planted)) {
      const email = createEmail('victim')
      await requestCode(victim.application, email)
      const cookie = `tessera.user=${token}; tessera.session=${token}`
      const opened = await verifyOtp(victim.application, email, await readCodeFor(email), {
        cookie,
        origin: platform.api,
      })
      expect(opened.status).to.equal(200)
      expect(tokenOf(opened)).not.to.equal(token)
      const seen = await bearer(token).get('/v1/auth/session')
      expect(seen.body?.['user']?.['email'] ?? null).not.to.equal(email)
    }
    expect(codeOf(await bearer(planted.made).get('/v1/auth/session'))).to.deep.equal(unauthenticated)
  })

  it('refuses a session or code of another application, also for the same person', async () => {
    const email = createEmail('both')
    const there = await signInBuyer(attacker.application, email)
    const here = await signInBuyer(victim.application, email)
    expect((await bearer(tokenOf(there)).get('/v1/auth/session')).body['application']?.['id']).to.equal(
      attacker.application,
    )
    const account = String(here.body['account']?.['id'])
    expect(String(there.body['account']?.['id'])).not.to.equal(account)
    const listed = await bearer(tokenOf(there)).get('/v1/auth/sessions')
    expect((listed.body['data'] as unknown as Json[]).map((row) => row['current'])).to.deep.equal([true])
    expect(
      codeOf(await createApiClient({ cookie: `tessera.session=${tokenOf(there)}` }).get('/v1/auth/session')),
    ).to.deep.equal(unauthenticated)
    await requestCode(attacker.application, email)
    expect(codeOf(await verifyOtp(victim.application, email, await readCodeFor(email)))).to.deep.equal([
      401,
      'AUTH_INVALID_OTP',
    ])
    const member = await createApiClient().post('/v1/auth/sign-in/email-otp', { email, otp: await readCodeFor(email) })
    expect(codeOf(member)).to.deep.equal([401, 'AUTH_INVALID_OTP'])
  })

  it('answers 404 to ending the session of somebody else, which goes on', async () => {
    const email = createEmail('victim')
    const session = await signInBuyer(victim.application, email)
    const [row] = (await bearer(tokenOf(session)).get('/v1/auth/sessions')).body['data'] as unknown as Json[]
    const id = String(row?.['id'])
    const attackers = [
      getOwnClient(await signInMember(attacker.owner, attacker.organization)),
      getOwnClient(await signInMember(victim.owner, victim.organization)),
      bearer(tokenOf(await signInBuyer(attacker.application, createEmail('attacker')))),
      bearer(tokenOf(await signInBuyer(victim.application, createEmail('neighbour')))),
      bearer(tokenOf(await signInBuyer(attacker.application, email))),
      getOwnClient(await signInMember(email)),
    ]
    for (const api of attackers) {
      const [real, none] = [
        await api.delete(`/v1/auth/sessions/${id}`),
        await api.delete(`/v1/auth/sessions/${absent}`),
      ]
      expect(codeOf(real)).to.deep.equal([404, 'NOT_FOUND'])
      const comparable = ({ body }: Answer) => ({ ...body, instance: '', requestId: '' })
      expect(comparable(real)).to.deep.equal(comparable(none))
      expect((await api.get(`/v1/auth/sessions?filters[id][eq]=${id}`)).body['total']).to.equal(0)
      await api.delete('/v1/auth/sessions')
    }
    expect((await bearer(tokenOf(session)).get('/v1/auth/session')).status).to.equal(200)
  })

  it('prevents lock-out: wrong codes in one application leave codes of another as they are', async () => {
    const email = createEmail('victim')
    await requestCode(victim.application, email)
    const code = await readCodeFor(email)
    for (let guess = 0; guess < 10; guess++) {
      expect((await verifyOtp(attacker.application, email, createOtherCode(code))).status).to.equal(401)
      expect(
        (await createApiClient().post('/v1/auth/sign-in/email-otp', { email, otp: createOtherCode(code) })).status,
      ).to.equal(401)
    }
    expect((await verifyOtp(victim.application, email, code)).status).to.equal(200)
  })

  it('prevents lock-out: one application cannot use up the codes that another may send', async () => {
    const email = createEmail('victim')
    const shops = [
      attacker.application,
      await buildApplication(attacker.organization),
      await buildApplication(attacker.organization),
    ]
    for (const shop of shops) for (let sent = 0; sent < 6; sent++) await requestCode(shop, email)
    expect((await requestCode(attacker.application, email)).status).to.equal(429)
    expect((await requestCode(victim.application, email)).status, "the victim's shop").to.equal(204)
    const member = await createApiClient().post('/v1/auth/email-otp/send-verification-otp', { email, type: 'sign-in' })
    expect(member.status, 'members').to.equal(204)
    expect(
      (await createApiClient().post('/v1/auth/sign-in/email-otp', { email, otp: await readCodeFor(email) })).status,
    ).to.equal(200)
  })

  it('signs nobody in with rows of a stolen table of sessions and codes', async () => {
    const email = createEmail('victim')
    await signInBuyer(victim.application, email)
    await requestCode(victim.application, email)
    const { db } = await getOperator()
    const tokens = await listStoredTokens(db, email)
    expect(tokens).to.have.length(1)
    for (const token of tokens)
      expect(codeOf(await bearer(token).get('/v1/auth/session'))).to.deep.equal(unauthenticated)
  })
})

describeInBrowser('Tenant isolation: a page of another site in the browser of the victim', () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  it('prevents login CSRF: a form of another site signs nobody in or out and sends no code', async () => {
    const shop = await buildShop()
    const { id } = await buildPublishedPassport(shop, await buildSheet(shop))
    const token = String((await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)).body['token'])
    const attacker = createEmail('attacker')
    await requestCode(shop.application, attacker)
    const forms = {
      '/claim/sign-in': { token, email: attacker, otp: await readCodeFor(attacker) },
      '/claim/code': { token, email: createEmail('bombed') },
      '/console/sign-out': {},
      '/v1/auth/sign-out': {},
    }
    const evil = await serveText((path) => {
      const fields: Record<string, string> = forms[path as keyof typeof forms] ?? {}
      const inputs = Object.entries(fields)
        .map(([name, value]) => `<input name="${name}" value="${value}">`)
        .join('')
      return `<form method="post" action="${platform.api}${path}">${inputs}<button>Win</button></form>`
    })
    const context = await browser.newContext()
    try {
      const session = tokenOf(await signInBuyer(shop.application))
      for (const [path, cookies] of [
        ['/claim/sign-in', []],
        ['/claim/code', []],
        ['/console/sign-out', ['tessera.session']],
        ['/v1/auth/sign-out', ['tessera.user']],
      ] as const) {
        await context.clearCookies()
        await context.addCookies(
          cookies.map((name) => ({
            name,
            value: session,
            url: platform.api,
            httpOnly: true,
            sameSite: 'Lax' as const,
          })),
        )
        const page = await context.newPage()
        await page.goto(`${evil.url}${path}`)
        const [answer] = await Promise.all([
          page.waitForResponse((response) => response.url() === `${platform.api}${path}`),
          page.getByRole('button', { name: 'Win' }).click(),
        ])
        expect(answer.status(), path).to.equal(403)
        expect(
          (await context.cookies(platform.api)).map(({ name }) => name),
          path,
        ).to.deep.equal([...cookies])
        await page.close()
      }
      expect((await bearer(session).get('/v1/auth/session')).status).to.equal(200)
    } finally {
      await context.close()
      await evil.stop()
    }
  })
})
