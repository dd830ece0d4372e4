import { expect } from 'chai'
import { assignPlan } from '../../../core/features/organization/index.ts'
import { createSerial, getBody } from '../dpp/passports/fixtures.ts'
import { getOperator } from '../identity/people.ts'
import { createItemRow, runImport } from '../imports/engine/job.maker.ts'
import { buildShop, type Shop } from '../../support/world.ts'

export interface Meter {
  code: string
  unit: string
  used: number
  reserved: number
  limit: number | null
  remaining: number | null
  overage: number
  hard: boolean
  resetsAt: string
}

export interface Usage {
  period: { start: string; end: string }
  plan: { id: string; name: string }
  asOf: string
  meters: Meter[]
}

/** The most operations of the plan `free`. */
export const freeOperations = 1_000

/** A shop on a plan. */
export async function buildShopOnPlan(plan: string): Promise<Shop> {
  const shop = await buildShop()
  await setPlan(shop, plan)
  return shop
}

export const setPlan = async ({ organization }: Shop, plan: string) =>
  assignPlan(await getOperator(), { organization, plan, actor: 'a test' })

export async function readUsage({ api }: Shop): Promise<Usage> {
  const answer = await api.get('/v1/quotas/usage')
  expect(answer.status, answer.text).to.equal(200)
  return getBody<Usage>(answer)
}

export async function readOperations(shop: Shop): Promise<Meter> {
  const { meters } = await readUsage(shop)
  const [operations] = meters
  if (operations?.code !== 'dpp.operations') throw new Error('The first meter is another one')
  return operations
}

async function readUsed(shop: Shop, meter: string): Promise<number> {
  const { meters } = await readUsage(shop)
  return meters.find(({ code }) => code === meter)!.used
}

/** How many accounts were active users of the month. */
export const countActiveUsers = (shop: Shop) => readUsed(shop, 'loyalty.activeUsers')
/** How many accounts became wallets in the month. */
export const countWallets = (shop: Shop) => readUsed(shop, 'wallets')

/** Uses operations by an import. */
export async function useOperations(shop: Shop, units: number): Promise<void> {
  const reference = createSerial()
  const rows = Array.from({ length: units }, (_, at) => createItemRow(`${reference}/${at}`))
  const { counts } = await runImport(shop, rows)
  expect(counts.created).to.equal(units)
}
