import { expect } from 'chai'
import { request } from 'undici'
import { allPermissions } from '../../../../core/kernel/permission.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { proveDomain } from '../../../support/network/domains.ts'
import { startSecondServer } from '../../../support/network/second-server.ts'
import { platform } from '../../../support/platform.ts'
import { endPortalLinks } from '../../../support/rows/billing/portal-links.ts'
import { buildBuyer, buildKey, buildMember, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { createUniqueName, getOperator, getOwnClient, signInMember } from '../../identity/people.ts'
import { buildShopOnPlan, readUsage } from '../quotas.fixtures.ts'

const path = '/v1/billing/portal-session'

interface Portal {
  url: string
  expiresAt: string
}

async function createPortal({ api }: Pick<Shop, 'api'>, body: object = {}): Promise<Portal> {
  const answer = await api.post(path, body)
  expect(answer.status, answer.text).to.equal(201)
  return getBody<Portal>(answer)
}

/** Opens an address as the browser of a member does. */
async function visit(cookie: string, url: string): Promise<{ status: number; text: string; location: unknown }> {
  const answer = await request(url, { headers: { cookie } })
  return { status: answer.statusCode, text: await answer.body.text(), location: answer.headers['location'] }
}

/** Sends a form of a page as the browser of a member does. */
async function sendForm(cookie: string, url: string, form: Record<string, string>) {
  const answer = await request(url, {
    method: 'POST',
    headers: { cookie, origin: new URL(url).origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  })
  return { status: answer.statusCode, text: await answer.body.text(), location: answer.headers['location'] }
}

const expectReturnRefusal = (answer: Answer, why: string) => {
  expect(formatVerdict(answer), `${why} ${answer.text}`).to.equal('422 VALIDATION_FAILED')
  expect(answer.body['errors']?.[0], why).to.include({ path: 'returnUrl' })
}

describe('POST /v1/billing/portal-session', function () {
  this.timeout(240_000)
  let shop: Shop
  let owner: string
  before(async () => {
    shop = await buildShopOnPlan('growth')
    owner = await signInMember(shop.owner, shop.organization)
  })

  it('answers a page that shows plan, usage and the invoices to come, once and for 10 minutes', async () => {
    const answer = await shop.api.post(path, {})
    const { url, expiresAt } = getBody<Portal>(answer)
    expect(answer.headers['location']).to.equal(url)
    expect((Date.parse(expiresAt) - Date.now()) / 60_000).to.be.within(9.5, 10.5)
    const first = await visit(owner, url)
    expect(first.status, first.text).to.equal(200)
    for (const word of ['Plan Growth', '€490.00 a month', '0 of 250,000', 'Invoices to come', 'Back to'])
      expect(first.text).to.contain(word)
    const second = await visit(owner, url)
    expect(second.status).to.equal(410)
    expect(second.text).to.contain('This link has ended').and.not.contain('€490.00')
  })

  it('opens one page for visits at the same time', async () => {
    const { url } = await createPortal(shop)
    const visits = await Promise.all(Array.from({ length: 5 }, () => visit(owner, url)))
    expect(visits.map(({ status }) => status).sort()).to.deep.equal([200, 410, 410, 410, 410])
  })

  it('is over after 10 minutes', async () => {
    const { url } = await createPortal(shop)
    const { db } = await getOperator()
    await endPortalLinks(db, shop.organization)
    expect((await visit(owner, url)).status).to.equal(410)
  })

  it('is bound to the session of the member who asked', async () => {
    const answer = await getOwnClient(owner).post(path, {})
    expect(answer.status, answer.text).to.equal(201)
    const { url } = getBody<Portal>(answer)
    const admin = await signInMember(await buildMember(shop.organization, 'admin'), shop.organization)
    const otherSession = await signInMember(shop.owner, shop.organization)
    expect((await visit(admin, url)).status).to.equal(404)
    expect((await visit(otherSession, url)).status).to.equal(404)
    expect((await visit(owner, url)).status).to.equal(200)
  })

  it('opens for members of the organization who may, and for nobody else', async () => {
    const { url } = await createPortal(shop)
    const other = await buildShop()
    expect((await visit(await signInMember(other.owner, other.organization), url)).status).to.equal(404)
    const editor = await signInMember(await buildMember(shop.organization, 'editor'), shop.organization)
    expect((await visit(editor, url)).status).to.equal(403)
    const anonymous = await visit('', url)
    expect([anonymous.status, String(anonymous.location)]).to.deep.equal([
      303,
      `/console/sign-in?next=${encodeURIComponent(new URL(url).pathname)}`,
    ])
    const forged = url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    expect((await visit(owner, forged)).status).to.equal(404)
    expect((await visit(owner, url)).status).to.equal(200)
  })

  it('leads back to the console, or to a proven domain of the organization', async () => {
    const domain = `${createUniqueName('shop')}.example`
    await proveDomain(shop.api, shop.application, domain)
    const returnUrl = `https://${domain}/account?tab=plan`
    expect((await visit(owner, (await createPortal(shop, { returnUrl })).url)).text).to.contain(`href="${returnUrl}"`)
    const own = `${platform.api}/console/keys`
    expect((await visit(owner, (await createPortal(shop, { returnUrl: own })).url)).text).to.contain(`href="${own}"`)
    const other = await buildShop()
    const foreign = await other.api.post(path, { returnUrl })
    expectReturnRefusal(foreign, 'the domain of another organization')
    for (const [why, wrong] of [
      ['a stranger', 'https://elsewhere.example/'],
      ['http', `http://${domain}/`],
      ['another port', `https://${domain}:8443/`],
      ['a name below', `https://x.${domain}/`],
      ['credentials', `https://me:secret@${domain}/`],
      ['a script', 'javascript:alert(1)'],
      ['another port of ours', 'http://127.0.0.1:1/console'],
      ['no address', 'account'],
      ['a path', '/console'],
      ['too long', `https://${domain}/${'x'.repeat(2_000)}`],
    ] as const)
      expectReturnRefusal(await shop.api.post(path, { returnUrl: wrong }), why)
  })

  it('refuses callers who may not, and bodies that are none', async () => {
    const { billing: _, ...rest } = allPermissions
    const readers = await buildKey(shop.organization, { ...rest, billing: ['read'] })
    const buyer = await buildBuyer(shop)
    const editor = getOwnClient(await signInMember(await buildMember(shop.organization, 'editor'), shop.organization))
    const verdicts = [
      await createApiClient(readers.key).post(path, {}),
      await buyer.post(path, {}),
      await editor.post(path, {}),
      await createApiClient().post(path, {}),
      await createApiClient('tsr_test_nobody').post(path, {}),
      await shop.api.post(path),
      await shop.api.post(path, { returnUrl: 7 }),
      await shop.api.post(path, { plan: 'free' }),
      await shop.api.post(path, undefined, { raw: '{' }),
    ].map(formatVerdict)
    expect(verdicts).to.deep.equal([
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
      '403 AUTH_INSUFFICIENT_PERMISSIONS',
      '401 AUTH_UNAUTHENTICATED',
      '401 AUTH_INVALID_API_KEY',
      '400 INVALID_JSON',
      '422 VALIDATION_FAILED',
      '422 VALIDATION_FAILED',
      '400 INVALID_JSON',
    ])
  })

  it('answers the same page to the same idempotency key', async () => {
    const options = { headers: { 'idempotency-key': createUniqueName('portal') } }
    const answers = [await shop.api.post(path, {}, options), await shop.api.post(path, {}, options)]
    expect(answers[0]?.body['url']).to.equal(answers[1]?.body['url'])
  })
})

describe('Console: plan and invoices', function () {
  this.timeout(240_000)

  it('stand on the page of the organization, with a button for those who may', async () => {
    const shop = await buildShopOnPlan('free')
    const owner = await signInMember(shop.owner, shop.organization)
    const settings = `${platform.api}/console/organization`
    const { text } = await visit(owner, settings)
    expect(text).to.contain('Usage this month, plan Free').and.contain('action="/console/billing/portal"')
    const left = await sendForm(owner, `${platform.api}/console/billing/portal`, {})
    expect(left.status).to.equal(303)
    const portal = await visit(owner, `${platform.api}${String(left.location)}`)
    expect(portal.status, portal.text).to.equal(200)
    expect(portal.text).to.contain(`href="${settings}"`)
    const editor = await signInMember(await buildMember(shop.organization, 'editor'), shop.organization)
    expect((await visit(editor, settings)).text).to.not.contain('/console/billing/portal')
    expect((await sendForm(editor, `${platform.api}/console/billing/portal`, {})).status).to.equal(403)
  })

  it('change the plan in development only', async () => {
    const shop = await buildShopOnPlan('free')
    const owner = await signInMember(shop.owner, shop.organization)
    const { url } = await createPortal(shop)
    expect((await visit(owner, url)).text)
      .to.contain('The operator of the platform')
      .and.not.contain('<select')
    expect((await sendForm(owner, url, { plan: 'growth' })).status).to.equal(404)
    expect((await readUsage(shop)).plan.id).to.equal('free')

    const server = await startSecondServer(platform, { NODE_ENV: 'development' })
    try {
      const made = await createApiClient(shop.key, server.api).post(path, {})
      const page = getBody<Portal>(made).url
      expect((await sendForm(owner, page, { plan: 'growth' })).status, 'not opened yet').to.equal(404)
      expect((await visit(owner, page)).text).to.contain('Change the plan')
      const unknown = await sendForm(owner, page, { plan: 'gold' })
      expect(unknown.status).to.equal(422)
      expect(unknown.text).to.contain('role="alert"')
      const changed = await sendForm(owner, page, { plan: 'growth' })
      expect(changed.status, changed.text).to.equal(200)
      expect(changed.text).to.contain('The plan is changed.').and.contain('Plan Growth')
      expect((await readUsage(shop)).plan.id).to.equal('growth')
      expect((await visit(owner, `${platform.api}/console/audit`)).text).to.contain('Plan changed')
      const { db } = await getOperator()
      await endPortalLinks(db, shop.organization)
      expect((await sendForm(owner, page, { plan: 'free' })).status).to.equal(404)
    } finally {
      server.kill()
    }
  })
})
