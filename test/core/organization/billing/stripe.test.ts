import { expect } from 'chai'
import { request } from 'undici'
import { applyDuePlans } from '../../../../core/features/organization/index.ts'
import { proveDomain } from '../../../support/network/domains.ts'
import { countEvents, readCustomer, reachNextPlan } from '../../../support/rows/billing/customers.ts'
import { createStripeId } from '../../../support/stripe/state.ts'
import { buildShop } from '../../../support/world.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { createUniqueName, getOperator, signInMember } from '../../identity/people.ts'
import { readUsage, setPlan } from '../quotas.fixtures.ts'
import {
  askPortal,
  buildCustomer,
  buildStripeStage,
  createEvent,
  getStripeOperator,
  sendEvent,
  subscribe,
  type StripeStage,
} from './stripe.fixtures.ts'

describe('Billing by Stripe', function () {
  this.timeout(240_000)
  let stage: StripeStage
  before(async () => {
    stage = await buildStripeStage()
  })
  after(() => stage.stop())
  afterEach(() => {
    const { refusals } = stage.stripe
    expect(refusals.splice(0)).to.deep.equal([])
  })

  const readPlan = async (shop: Parameters<typeof readUsage>[0]) => (await readUsage(shop)).plan.id

  describe('POST /v1/billing/portal-session', () => {
    it('answers the page of the organization’s customer, which is created once', async () => {
      const shop = await buildShop()
      const domain = `${createUniqueName('shop')}.example`
      await proveDomain(shop.api, shop.application, domain)
      const { stripe } = stage
      const [before, customers] = [stripe.portals.length, stripe.customers.size]
      const returnUrl = `https://${domain}/account`
      const answers = await Promise.all(Array.from({ length: 4 }, () => askPortal(stage, shop, { returnUrl })))
      expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201])
      const portals = stripe.portals.slice(before)
      expect(new Set(portals.map(({ customer }) => customer)).size).to.equal(1)
      expect(stripe.customers.size).to.equal(customers + 1)
      expect(stripe.customers.get(portals[0]?.customer ?? '')).to.deep.equal({
        'metadata[organization]': shop.organization,
      })
      expect(portals[0]?.returnUrl).to.equal(returnUrl)
      const { url, expiresAt } = getBody<{ url: string; expiresAt: string }>(answers[0] as never)
      expect(portals.map((one) => one.url)).to.include(url)
      expect((Date.parse(expiresAt) - Date.now()) / 1_000).to.be.within(270, 301)
    })

    it('finds the customer again whose creation was not heard of', async () => {
      const shop = await buildShop()
      const { stripe } = stage
      const customers = stripe.customers.size
      stripe.failures.push('lost')
      expect((await askPortal(stage, shop)).status).to.equal(503)
      expect((await askPortal(stage, shop)).status).to.equal(201)
      expect(stripe.customers.size).to.equal(customers + 1)
    })

    it('answers 503 while Stripe does not answer, and 422 to an address elsewhere before Stripe is asked', async () => {
      const shop = await buildShop()
      const { stripe } = stage
      stripe.failures.push('down')
      const failed = await askPortal(stage, shop)
      expect([failed.status, failed.body['detail']]).to.deep.equal([
        503,
        'The provider of billing does not answer as one.',
      ])
      expect(stripe.refusals.splice(0)).to.deep.equal(['500 Something went wrong.'])
      const requestCount = stripe.requests.length
      const refused = await askPortal(stage, shop, { returnUrl: 'https://elsewhere.example/' })
      expect(formatVerdict(refused)).to.equal('422 VALIDATION_FAILED')
      expect(stripe.requests.length).to.equal(requestCount)
    })

    it('leads from the console by a link, because forms lead to our own pages only', async () => {
      const shop = await buildShop()
      const cookie = await signInMember(shop.owner, shop.organization)
      const { api } = stage.server
      const answer = await request(`${api}/console/billing/portal`, {
        method: 'POST',
        headers: { cookie, origin: api, 'content-type': 'application/x-www-form-urlencoded' },
      })
      expect(answer.statusCode).to.equal(200)
      const { url, returnUrl } = stage.stripe.portals.at(-1) ?? { url: '', returnUrl: '' }
      expect(await answer.body.text()).to.contain(`href="${url}"`)
      expect(returnUrl).to.equal(`${api}/console/organization`)
    })
  })

  describe('POST /v1/billing/webhooks/stripe', () => {
    it('puts the organization on the plan of its subscription', async () => {
      const shop = await buildCustomer(stage)
      await setPlan(shop, 'free')
      const subscription = subscribe(stage, shop.customer, { plan: 'growth' })
      const answer = await sendEvent(stage, createEvent(subscription, { type: 'customer.subscription.created' }))
      expect([answer.status, answer.body]).to.deep.equal([200, { received: true }])
      expect(await readPlan(shop)).to.equal('growth')
    })

    it('takes an event once, for ever, also when it comes twice at the same time', async () => {
      const shop = await buildCustomer(stage)
      const event = createStripeId('evt')
      const body = createEvent(subscribe(stage, shop.customer, {}), { event })
      const both = await Promise.all([sendEvent(stage, body), sendEvent(stage, body)])
      expect(both.map((one) => JSON.stringify(one.body)).sort()).to.deep.equal([
        '{"received":true}',
        '{"skipped":"repeated"}',
      ])
      expect(await readPlan(shop)).to.equal('growth')
      await setPlan(shop, 'unlimited')
      const again = await sendEvent(stage, body)
      expect([again.status, again.body]).to.deep.equal([200, { skipped: 'repeated' }])
      expect(await readPlan(shop)).to.equal('unlimited')
    })

    it('ends with the present state, in whatever order events come', async () => {
      const shop = await buildCustomer(stage)
      const early = subscribe(stage, shop.customer, { status: 'incomplete' })
      const created = createEvent(early, { type: 'customer.subscription.created' })
      const active = createEvent(subscribe(stage, shop.customer, { status: 'active' }))
      for (const body of [active, created]) expect((await sendEvent(stage, body)).status).to.equal(200)
      expect(await readPlan(shop)).to.equal('growth')
    })

    it('does not let a slow answer of Stripe undo a newer one', async () => {
      const shop = await buildCustomer(stage)
      const { stripe } = stage
      const early = subscribe(stage, shop.customer, { plan: 'free' })
      const gate = Promise.withResolvers<void>()
      stripe.hold = gate.promise
      const requestCount = stripe.requests.length
      const slow = sendEvent(stage, createEvent(early))
      while (stripe.requests.length === requestCount) await new Promise((resolve) => setImmediate(resolve))
      stripe.hold = null
      const late = await sendEvent(stage, createEvent(subscribe(stage, shop.customer, { plan: 'growth' })))
      expect(late.body).to.deep.equal({ received: true })
      gate.resolve()
      expect((await slow).body).to.deep.equal({ received: true })
      expect(await readPlan(shop)).to.equal('growth')
    })

    it('holds a smaller plan from the next month, and a larger one at once', async () => {
      const shop = await buildCustomer(stage)
      const { db } = await getOperator()
      const operator = await getStripeOperator(stage)
      await sendEvent(stage, createEvent(subscribe(stage, shop.customer, { plan: 'growth' })))
      const now = new Date()
      const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
      const soon = new Date(Date.now() + 60_000)
      await sendEvent(stage, createEvent(subscribe(stage, shop.customer, { plan: 'free', periodEnd: soon })))
      expect(await readPlan(shop)).to.equal('growth')
      const kept = await readCustomer(db, shop.organization)
      expect([kept?.nextPlan, kept?.nextPlanAt?.getTime()]).to.deep.equal(['free', nextMonth.getTime()])
      await applyDuePlans(operator)
      expect(await readPlan(shop), 'not due yet').to.equal('growth')
      await sendEvent(stage, createEvent(subscribe(stage, shop.customer, { plan: 'growth' })))
      expect((await readCustomer(db, shop.organization))?.nextPlan, 'taken back').to.equal(null)
      await sendEvent(stage, createEvent(subscribe(stage, shop.customer, { plan: 'free' })))
      await reachNextPlan(db, shop.organization)
      await applyDuePlans(operator)
      expect(await readPlan(shop)).to.equal('free')
      await sendEvent(stage, createEvent(subscribe(stage, shop.customer, { plan: 'unlimited' })))
      expect(await readPlan(shop)).to.equal('unlimited')
    })

    it('keeps the plan of somebody who is late, and takes it at once when nothing was paid in the end', async () => {
      const shop = await buildCustomer(stage)
      await sendEvent(stage, createEvent(subscribe(stage, shop.customer, { plan: 'growth' })))
      await sendEvent(stage, createEvent(subscribe(stage, shop.customer, { status: 'past_due' })))
      expect(await readPlan(shop)).to.equal('growth')
      const ended = subscribe(stage, shop.customer, { status: 'canceled', reason: 'payment_failed' })
      await sendEvent(stage, createEvent(ended, { type: 'customer.subscription.deleted' }))
      expect(await readPlan(shop)).to.equal('free')
    })

    it('leaves the plan of an organization alone whose subscription never began', async () => {
      const shop = await buildCustomer(stage)
      const failed = subscribe(stage, shop.customer, { status: 'incomplete_expired' })
      expect((await sendEvent(stage, createEvent(failed))).status).to.equal(200)
      expect(await readPlan(shop)).to.equal('unlimited')
      const other = subscribe(stage, shop.customer, { status: 'active', plan: 'another-product' })
      expect((await sendEvent(stage, createEvent(other))).status).to.equal(200)
      expect(await readPlan(shop)).to.equal('unlimited')
    })

    it('skips customers of others, and events about something else', async () => {
      const shop = await buildCustomer(stage)
      const stranger = { id: createStripeId('sub'), customer: createStripeId('cus'), status: 'active' }
      expect((await sendEvent(stage, createEvent(stranger))).body).to.deep.equal({ skipped: 'customer' })
      const invoice = createEvent({ ...stranger, customer: shop.customer }, { type: 'invoice.paid' })
      expect((await sendEvent(stage, invoice)).body).to.deep.equal({ skipped: 'type' })
    })

    it('refuses what is not signed, forged, changed, too old or no event', async () => {
      const shop = await buildCustomer(stage)
      await setPlan(shop, 'free')
      const { stripe } = stage
      const body = createEvent(subscribe(stage, shop.customer, { plan: 'growth' }))
      const tenMinutesAgo = new Date(Date.now() - 600_000)
      const signed = (text: string) => sendEvent(stage, text)
      const verdicts = [
        await sendEvent(stage, body, null),
        await sendEvent(stage, body, 'nonsense'),
        await sendEvent(stage, body, stripe.sign(body, { secret: 'whsec_another' })),
        await sendEvent(stage, `${body} `, stripe.sign(body)),
        await sendEvent(stage, body, stripe.sign(body, { at: tenMinutesAgo })),
        await signed('{'),
        await signed('[]'),
        await signed('{"id":"evt_1","type":"customer.subscription.updated"}'),
      ].map(formatVerdict)
      expect(verdicts).to.deep.equal([
        ...Array.from({ length: 5 }, () => '401 WEBHOOK_INVALID_SIGNATURE'),
        '400 INVALID_JSON',
        '422 VALIDATION_FAILED',
        '400 INVALID_REQUEST',
      ])
      expect(await readPlan(shop)).to.equal('free')
    })

    it('is not taken while Stripe does not answer, so that it is sent again', async () => {
      const shop = await buildCustomer(stage)
      const event = createStripeId('evt')
      const body = createEvent(subscribe(stage, shop.customer, {}), { event })
      stage.stripe.failures.push('down')
      expect((await sendEvent(stage, body)).status).to.equal(503)
      stage.stripe.refusals.splice(0)
      const { db } = await getOperator()
      expect(await countEvents(db, event)).to.equal(0)
      expect((await sendEvent(stage, body)).body).to.deep.equal({ received: true })
      expect(await readPlan(shop)).to.equal('growth')
    })
  })
})
