import type { Knex } from 'knex'
import { createContext } from '../../app/context.ts'
import type { Settings } from '../../app/settings.ts'
import { withAdvisoryLock } from '../../database/lock.ts'
import {
  ensureAccount,
  readOwnAccounts,
  recordPersons,
  type AccountModel,
  type AccountPerson,
} from '../../features/accounts/index.ts'
import { readAnyApplication, type Application } from '../../features/applications/index.ts'
import { ensureKnownUser } from '../../features/identity/index.ts'
import {
  createOperationId,
  postPoints,
  recordVisit,
  type NewPosting,
  type PointsTarget,
} from '../../features/loyalty/index.ts'
import type { Context } from '../../kernel/work.ts'
import { createHistory, type DemoEvent } from './history.ts'
import { demoPeople, programme } from './people.ts'

/** A customer with an account. */
interface Customer {
  account: AccountModel
  events: DemoEvent[]
}

/**
 * Seeds the demo application with accounts that have a history, with a context of its own. Accounts and entries that are
 * there already stay as they are.
 * @param signal gives it up; the next call goes on
 * @throws Error if the signer does not answer
 */
export async function seedDemoAccounts(settings: Settings, application: string, signal: AbortSignal): Promise<void> {
  const { context, close } = await createContext({ ...settings, logLevel: 'silent' }, 'seed')
  try {
    await withAdvisoryLock(context.db, lockNumber, () => seedAccounts(context, application, signal))
  } finally {
    await close()
  }
}

async function seedAccounts(context: Context, id: string, signal: AbortSignal): Promise<void> {
  const now = context.clock.now()
  const application = await readAnyApplication(context.db, id)
  const customers: Customer[] = []
  // One after the other, because the signer makes a wallet for each and has other work to do.
  for (const [at, { email, phoneNumber }] of demoPeople.entries()) {
    signal.throwIfAborted()
    const user = await ensureKnownUser(context, { email, phoneNumber })
    const account = await ensureAccount(context, { application: id, network: application.defaultNetwork, user })
    customers.push({ account, events: createHistory(at, now) })
  }
  await context.db.transaction((trx) => recordVisits(trx, context, customers))
  await context.db.transaction(async (trx) => {
    await postHistories(trx, context, application, customers)
    await recordPersons(trx, customers.map(describeCustomer))
  })
}

function describeCustomer({ account, events }: Customer, at: number): AccountPerson {
  const { name, birthDate, locale } = demoPeople[at]!
  return { account: account.id, name, birthDate, locale, since: events[0]!.occurredAt }
}

/** The one place where visits are counted. */
const place = 'demo-shop'

/**
 * Records the visits of customers who have none yet: a day of an event is a visit. Before any points, because balances
 * are locked before accounts.
 */
async function recordVisits(trx: Knex, context: Context, customers: readonly Customer[]): Promise<void> {
  const [first] = customers
  if (!first) return
  const rows = await readOwnAccounts(
    trx,
    first.account.organization,
    customers.map(({ account }) => account.id),
  )
  const visited = new Set(rows.filter(({ visits }) => visits > 0).map(({ id }) => id))
  for (const { account, events } of customers)
    for (const { kind, occurredAt } of visited.has(account.id) ? [] : events)
      if (kind === 'order' || kind === 'burn') {
        const { id, organization, application } = account
        const localDay = occurredAt.toISOString().slice(0, 10)
        await recordVisit(trx, context, { organization, application, account: id, place, localDay, occurredAt })
      }
}

/**
 * Posts what happened to all customers, in the order in which it happened to each: first everybody's first event, then
 * everybody's second. One call credits or debits many accounts, each of them once. A voucher that costs more than an
 * account has is refused, as it would be at the counter.
 */
async function postHistories(
  trx: Knex,
  context: Context,
  application: Application,
  customers: readonly Customer[],
): Promise<void> {
  const rounds = Math.max(...customers.map(({ events }) => events.length))
  for (let round = 0; round < rounds; round++) {
    const postings = customers.flatMap(({ account, events }) => {
      const event = events[round]
      return event ? [createPosting(application, account, event)] : []
    })
    await postPoints(
      trx,
      context,
      postings.filter(({ points }) => points > 0n),
    )
    await postPoints(
      trx,
      context,
      postings.filter(({ points }) => points < 0n),
    )
  }
}

function createPosting(application: Application, account: AccountModel, event: DemoEvent): NewPosting {
  const { organization, network, address } = account
  const target: PointsTarget = {
    organization,
    application: application.id,
    applicationName: application.name,
    network,
    account: account.id,
    address,
  }
  const { kind, key, occurredAt, activatesAt = null, expiresAt = null } = event
  const operation = createOperationId(target, kind, key)
  const common = { target, kind, occurredAt, activatesAt, expiresAt, operation, reference: key }
  if (kind !== 'order') {
    const points = BigInt(event.points)
    return { ...common, points: kind === 'burn' ? -points : points, reason: event.reason }
  }
  const cents = event.items.reduce((sum, { cents, quantity }) => sum + cents * quantity, 0)
  return {
    ...common,
    points: BigInt(Math.floor((cents / 100) * programme.currencyToPointRatio)),
    amount: formatCents(cents),
    currency: programme.currency,
    items: event.items.map(({ sku, name, quantity, cents }) => ({
      sku,
      name,
      quantity,
      unitPrice: formatCents(cents),
    })),
    rule: {
      ratio: String(programme.currencyToPointRatio),
      source: 'application',
      tier: null,
      currency: programme.currency,
    },
  }
}

const formatCents = (cents: number): string => (cents / 100).toFixed(2)

/** Number of the advisory lock of this seed, which is not that of the demo organization. */
const lockNumber = 7_364_203
