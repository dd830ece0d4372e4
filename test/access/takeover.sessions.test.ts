import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import {
  codeFor, newApplication, newEmail, newTenant, operator, otherThan, own, sendOtp, signInBuyer, signInMember, verifyOtp, type Tenant,
} from '../core/identity/people.ts'
import { newPublished, newSheet, newShop } from '../core/passports/fixtures.ts'
import { describeInBrowser, openBrowser } from '../support/chromium.ts'
import { client, type Answer, type Json } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { serveText } from './foreign-pages.ts'

const codeOf = ({ status, body }: Answer) => [status, body?.['code']]
const tokenOf = ({ body }: Answer) => String(body['token'])
const bearer = (token: string) => client({ bearer: token })
const unauthenticated = [401, 'AUTH_UNAUTHENTICATED']
const absent = '01a1f94a-0000-7000-8000-000000000000'

describe('Takeover of sessions and codes: what one tenant tries against another', () => {
  let victim: Tenant
  let attacker: Tenant
  before(async () => {
    victim = await newTenant()
    attacker = await newTenant()
  })

  it('fixation: a session that the attacker planted before the sign-in is never the victim\'s', async () => {
    const planted = { known: tokenOf(await signInBuyer(attacker.application, newEmail('attacker'))), made: 'A'.repeat(32) }
    for (const token of Object.values(planted)) {
      const email = newEmail('victim')
      await sendOtp(victim.application, email)
      const cookie = `tessera.user=${token}; tessera.session=${token}`
      const opened = await verifyOtp(victim.application, email, await codeFor(email), { cookie, origin: platform.api })
      expect(opened.status).to.equal(200)
      expect(tokenOf(opened)).not.to.equal(token)
      const seen = await bearer(token).get('/v1/auth/session')
      expect(seen.body?.['user']?.['email'] ?? null).not.to.equal(email)
    }
    expect(codeOf(await bearer(planted.made).get('/v1/auth/session'))).to.deep.equal(unauthenticated)
  })

  it('another application\'s session: a session or code of the attacker\'s shop opens nothing in the victim\'s, for the same person', async () => {
    const email = newEmail('both')
    const there = await signInBuyer(attacker.application, email)
    const here = await signInBuyer(victim.application, email)
    expect((await bearer(tokenOf(there)).get('/v1/auth/session')).body['application']?.['id']).to.equal(attacker.application)
    const account = String(here.body['account']?.['id'])
    expect(String(there.body['account']?.['id'])).not.to.equal(account)
    const listed = await bearer(tokenOf(there)).get('/v1/auth/sessions')
    expect((listed.body['data'] as unknown as Json[]).map((row) => row['current'])).to.deep.equal([true])
    expect(codeOf(await client({ cookie: `tessera.session=${tokenOf(there)}` }).get('/v1/auth/session'))).to.deep.equal(unauthenticated)
    await sendOtp(attacker.application, email)
    expect(codeOf(await verifyOtp(victim.application, email, await codeFor(email)))).to.deep.equal([401, 'AUTH_INVALID_OTP'])
    const member = await client().post('/v1/auth/sign-in/email-otp', { email, otp: await codeFor(email) })
    expect(codeOf(member)).to.deep.equal([401, 'AUTH_INVALID_OTP'])
  })

  it('another session\'s id: ending it answers as if it were not there, and it goes on', async () => {
    const email = newEmail('victim')
    const session = await signInBuyer(victim.application, email)
    const [row] = (await bearer(tokenOf(session)).get('/v1/auth/sessions')).body['data'] as unknown as Json[]
    const id = String(row?.['id'])
    const attackers = [
      own(await signInMember(attacker.owner, attacker.organization)), own(await signInMember(victim.owner, victim.organization)),
      bearer(tokenOf(await signInBuyer(attacker.application, newEmail('attacker')))),
      bearer(tokenOf(await signInBuyer(victim.application, newEmail('neighbour')))),
      bearer(tokenOf(await signInBuyer(attacker.application, email))), own(await signInMember(email)),
    ]
    for (const api of attackers) {
      const [real, none] = [await api.delete(`/v1/auth/sessions/${id}`), await api.delete(`/v1/auth/sessions/${absent}`)]
      expect(codeOf(real)).to.deep.equal([404, 'NOT_FOUND'])
      const comparable = ({ body }: Answer) => ({ ...body, instance: '', requestId: '' })
      expect(comparable(real)).to.deep.equal(comparable(none))
      expect((await api.get(`/v1/auth/sessions?filters[id][eq]=${id}`)).body['total']).to.equal(0)
      await api.delete('/v1/auth/sessions')
    }
    expect((await bearer(tokenOf(session)).get('/v1/auth/session')).status).to.equal(200)
  })

  it('lock-out by wrong codes: guesses in the attacker\'s shop, and as a member, leave the victim\'s code as it is', async () => {
    const email = newEmail('victim')
    await sendOtp(victim.application, email)
    const code = await codeFor(email)
    for (let guess = 0; guess < 10; guess++) {
      expect((await verifyOtp(attacker.application, email, otherThan(code))).status).to.equal(401)
      expect((await client().post('/v1/auth/sign-in/email-otp', { email, otp: otherThan(code) })).status).to.equal(401)
    }
    expect((await verifyOtp(victim.application, email, code)).status).to.equal(200)
  })

  it('lock-out by exhausted sends: the attacker\'s shop cannot use up what the victim\'s customers and members are sent', async () => {
    const email = newEmail('victim')
    const shops = [attacker.application, await newApplication(attacker.organization), await newApplication(attacker.organization)]
    for (const shop of shops) for (let sent = 0; sent < 6; sent++) await sendOtp(shop, email)
    expect((await sendOtp(attacker.application, email)).status).to.equal(429)
    expect((await sendOtp(victim.application, email)).status, 'the victim\'s shop').to.equal(204)
    const member = await client().post('/v1/auth/email-otp/send-verification-otp', { email, type: 'sign-in' })
    expect(member.status, 'members').to.equal(204)
    expect((await client().post('/v1/auth/sign-in/email-otp', { email, otp: await codeFor(email) })).status).to.equal(200)
  })

  it('a stolen table: what is stored of sessions and codes signs nobody in', async () => {
    const email = newEmail('victim')
    await signInBuyer(victim.application, email)
    await sendOtp(victim.application, email)
    const { db } = await operator()
    const tokens = await db('sessions').whereIn('user_id', db('users').where({ email }).select('id')).pluck<string[]>('token')
    expect(tokens).to.have.length(1)
    for (const token of tokens) expect(codeOf(await bearer(token).get('/v1/auth/session'))).to.deep.equal(unauthenticated)
  })
})

describeInBrowser('Takeover of sessions and codes: what another site\'s page tries in the victim\'s browser', () => {
  let browser: Browser
  before(async () => { browser = await openBrowser() })
  after(() => browser.close())

  it('login CSRF: its form signs nobody in as the attacker, sends no code, and signs nobody out', async () => {
    const shop = await newShop()
    const { id } = await newPublished(shop, await newSheet(shop))
    const token = String((await shop.api.get(`/v1/dpp/passports/${id}/magic-token`)).body['token'])
    const attacker = newEmail('attacker')
    await sendOtp(shop.application, attacker)
    const forms = {
      '/claim/sign-in': { token, email: attacker, otp: await codeFor(attacker) }, '/claim/code': { token, email: newEmail('bombed') },
      '/console/sign-out': {}, '/v1/auth/sign-out': {},
    }
    const evil = await serveText((path) => {
      const fields: Record<string, string> = forms[path as keyof typeof forms] ?? {}
      const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`).join('')
      return `<form method="post" action="${platform.api}${path}">${inputs}<button>Win</button></form>`
    })
    const context = await browser.newContext()
    try {
      const session = tokenOf(await signInBuyer(shop.application))
      for (const [path, cookies] of [
        ['/claim/sign-in', []], ['/claim/code', []], ['/console/sign-out', ['tessera.session']], ['/v1/auth/sign-out', ['tessera.user']],
      ] as const) {
        await context.clearCookies()
        await context.addCookies(cookies.map((name) => ({ name, value: session, url: platform.api, httpOnly: true, sameSite: 'Lax' as const })))
        const page = await context.newPage()
        await page.goto(`${evil.url}${path}`)
        const [answer] = await Promise.all([
          page.waitForResponse((response) => response.url() === `${platform.api}${path}`), page.getByRole('button', { name: 'Win' }).click(),
        ])
        expect(answer.status(), path).to.equal(403)
        expect((await context.cookies(platform.api)).map(({ name }) => name), path).to.deep.equal([...cookies])
        await page.close()
      }
      expect((await bearer(session).get('/v1/auth/session')).status).to.equal(200)
    } finally {
      await context.close()
      await evil.stop()
    }
  })
})
