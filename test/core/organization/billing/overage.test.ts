import { expect } from 'chai'
import type { Context } from '../../../../core/kernel/work.ts'
import { createPlanTable, tellOverage } from '../../../../core/features/organization/index.ts'
import { addUsed, beginDay, datePlanBack, listReports, makeReportsDue } from '../../../support/rows/billing/overage.ts'
import type { Shop } from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'
import { setPlan } from '../quotas.fixtures.ts'
import {
  buildCustomer,
  buildStripeStage,
  createEvent,
  getStripeOperator,
  sendEvent,
  subscribe,
  type StripeStage,
} from './stripe.fixtures.ts'

const meter = 'loyalty.activeUsers'
/** The limits of the meter in the plans of this test. */
const limits: Readonly<Record<string, number>> = { free: 10, growth: 100, unlimited: 1_000 }

describe('Billing: units past the limits of a plan', function () {
  this.timeout(240_000)
  let stage: StripeStage
  let worker: Context
  before(async () => {
    stage = await buildStripeStage()
    const operator = await getStripeOperator(stage)
    const plans = operator.plans.map((plan) => ({
      ...plan,
      meters: plan.meters.map((one) =>
        one.code === meter ? { ...one, limit: limits[plan.id] ?? null, overagePrice: '0.0200' } : one,
      ),
    }))
    worker = { ...operator, plans, meters: { ...operator.meters, table: createPlanTable(plans) } }
  })
  after(() => stage.stop())

  type Customer = Shop & { customer: string }

  async function buildSubscriber(plan = 'growth'): Promise<Customer> {
    const shop = await buildCustomer(stage)
    const answer = await sendEvent(stage, createEvent(subscribe(stage, shop.customer, { plan })))
    expect(answer.body).to.deep.equal({ received: true })
    return shop
  }

  const use = async ({ organization }: Customer, units: number, more: { monthsAgo?: number } = {}) =>
    addUsed((await getOperator()).db, organization, { meter, units, ...more })
  const listReported = ({ customer }: Customer) =>
    stage.stripe.meterEvents.filter((one) => one.customer === customer).map(({ value }) => value)
  const statuses = async ({ organization }: Customer) =>
    (await listReports((await getOperator()).db, organization)).map(({ status }) => status)

  it('are told once a day, each report with our own identifier', async () => {
    const shop = await buildSubscriber()
    const { db } = await getOperator()
    await use(shop, 100)
    await tellOverage(worker)
    expect(listReported(shop), 'nothing past the limit').to.deep.equal([])
    await use(shop, 7)
    await Promise.all(Array.from({ length: 4 }, () => tellOverage(worker)))
    await use(shop, 5)
    await tellOverage(worker)
    expect(listReported(shop), 'the rest is told tomorrow').to.deep.equal([7])
    await beginDay(db, shop.organization)
    await tellOverage(worker)
    await tellOverage(worker)
    expect(listReported(shop)).to.deep.equal([7, 5])
    const events = stage.stripe.meterEvents.filter((one) => one.customer === shop.customer)
    expect(events.map(({ event_name }) => event_name)).to.deep.equal([meter, meter])
    expect(events.map(({ identifier }) => identifier)).to.deep.equal(
      (await listReports(db, shop.organization)).map(({ id }) => id),
    )
  })

  it('are told once if the answer is lost, and if Stripe has forgotten the request but not the identifier', async () => {
    const shop = await buildSubscriber()
    const { db } = await getOperator()
    await use(shop, 103)
    stage.stripe.failures.push('lost')
    await tellOverage(worker)
    expect([listReported(shop), await statuses(shop)]).to.deep.equal([[3], ['waiting']])
    stage.stripe.forgetKeys()
    await makeReportsDue(db, shop.organization)
    await tellOverage(worker)
    expect([listReported(shop), await statuses(shop)]).to.deep.equal([[3], ['sent']])
    expect(stage.stripe.refusals.splice(0)).to.have.length(1)
  })

  it('are sent again after an outage, and given up once the identifier may be forgotten', async () => {
    const [shop, unlucky] = [await buildSubscriber(), await buildSubscriber()]
    const { db } = await getOperator()
    await use(shop, 104)
    stage.stripe.failures.push('down')
    await tellOverage(worker)
    expect([listReported(shop), await statuses(shop)]).to.deep.equal([[], ['waiting']])
    await makeReportsDue(db, shop.organization)
    await tellOverage(worker)
    expect([listReported(shop), await statuses(shop)]).to.deep.equal([[4], ['sent']])
    await use(unlucky, 101)
    stage.stripe.failures.push('lost')
    await tellOverage(worker)
    stage.stripe.forgetKeys()
    for (const one of stage.stripe.meterEvents) if (one.customer === unlucky.customer) one.identifier = 'forgotten'
    await makeReportsDue(db, unlucky.organization, 24)
    await beginDay(db, unlucky.organization)
    await tellOverage(worker)
    expect([listReported(unlucky), await statuses(unlucky)]).to.deep.equal([[1], ['unclear']])
    stage.stripe.refusals.splice(0)
  })

  it('wait while Stripe has no meter for them', async () => {
    const shop = await buildSubscriber()
    const { db } = await getOperator()
    await use(shop, 102)
    stage.stripe.meters.delete(meter)
    await tellOverage(worker)
    stage.stripe.meters.add(meter)
    expect([listReported(shop), await statuses(shop)]).to.deep.equal([[], ['waiting']])
    await makeReportsDue(db, shop.organization, 24)
    await tellOverage(worker)
    expect([listReported(shop), await statuses(shop)]).to.deep.equal([[2], ['sent']])
    stage.stripe.refusals.splice(0)
  })

  it('of the last month are charged for that month, by the plan that it ended with', async () => {
    const shop = await buildSubscriber('growth')
    const { db } = await getOperator()
    await datePlanBack(db, shop.organization)
    await sendEvent(stage, createEvent(subscribe(stage, shop.customer, { plan: 'unlimited' })))
    await use(shop, 106, { monthsAgo: 1 })
    await use(shop, 108)
    await tellOverage(worker)
    const events = stage.stripe.meterEvents.filter((one) => one.customer === shop.customer)
    const now = new Date()
    const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) / 1_000
    expect(events.map(({ value, timestamp }) => [value, timestamp])).to.deep.equal([[6, month - 1]])
  })

  it('are not told of hard meters, nor where an operator has decided on another plan', async () => {
    const shop = await buildSubscriber()
    const { db } = await getOperator()
    await addUsed(db, shop.organization, { meter: 'wallets', units: 1_000_000 })
    await use(shop, 109)
    await setPlan(shop, 'unlimited')
    await tellOverage(worker)
    expect(listReported(shop)).to.deep.equal([])
    await setPlan(shop, 'growth')
    await tellOverage(worker)
    expect(listReported(shop)).to.deep.equal([9])
  })

  it('are told to nobody without a provider', async () => {
    const shop = await buildSubscriber()
    await use(shop, 110)
    await tellOverage(await getOperator())
    expect(await statuses(shop)).to.deep.equal([])
  })
})
