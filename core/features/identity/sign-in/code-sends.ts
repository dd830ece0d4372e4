import ip from 'ipaddr.js'
import type { Knex } from 'knex'
import { toIpNetwork } from '../../../kernel/request/ip-network.ts'
import { createProblem } from '../../../kernel/problem.ts'
import { hashForRealm, type AuthContext, type Realm } from '../auth.ts'
import type { CodeRecipient } from './one-time-codes.ts'

/** Maximum number of codes for one recipient within an hour in one realm. */
const maxCodesPerRecipient = 5

/**
 * A budget of sends, such as codes, mails or reports of visitors: at most `max` within any hour, or any day. The name
 * never contains an address in plain text; that of a budget of days begins with `day:`.
 */
export interface SendBudget {
  name: string
  max: number
  /** What is sent how often, and where it goes. */
  phrase: string
}

/** The origin of a request for a code. `organization` is that of the application; it is null for members. */
export interface CodeRequest {
  realm: Realm
  organization: string | null
  address: string
}

/**
 * Creates the budgets of a send. Every budget except the organization's belongs to one realm, so that sends of one
 * application do not affect other applications or members: one brand's page cannot use up the codes that a visitor
 * needs at another.
 */
export function createSendBudgets(
  parts: AuthContext,
  codeRequest: CodeRequest,
  recipient: CodeRecipient,
): SendBudget[] {
  const { settings } = parts
  const { realm, organization, address } = codeRequest
  const budgets: SendBudget[] = [
    {
      name: `recipient:${hashForRealm(parts, realm, `${recipient.channel}:${recipient.to}`)}`,
      max: maxCodesPerRecipient,
      phrase: 'codes an hour go out to one address',
    },
  ]
  if (!(settings.development && isLoopback(address))) {
    budgets.push({
      name: `address:${hashForRealm(parts, realm, toIpNetwork(address))}`,
      max: settings.codeSendsPerAddressHour,
      phrase: 'codes an hour go out at the request of one address',
    })
  }
  if (realm.application !== null) {
    budgets.push({
      name: `application:${realm.application}`,
      max: settings.codeSendsPerApplicationHour,
      phrase: 'codes an hour go out for one application',
    })
  }
  if (organization !== null) {
    budgets.push({
      name: `organization:${organization}`,
      max: settings.codeSendsPerOrganizationHour,
      phrase: 'codes an hour go out for one organization',
    })
  }
  return budgets.filter(({ max }) => max > 0)
}

const isLoopback = (address: string) => ip.isValid(address) && ip.process(address).range() === 'loopback'

/** Selects the budgets that are used up, each with the seconds until it has room again. */
const usedUpSql = `
  select budget.name, least(extract(epoch from span), greatest(1, ceil(extract(epoch from oldest.at + span - clock_timestamp()))))::int
    as seconds
  from unnest(:names::text[], :limits::int[]) budget(name, max)
  cross join lateral (select case when budget.name like 'day:%' then interval '1 day' else interval '1 hour' end) span(span)
  cross join lateral (
    select at from code_sends where budget = budget.name and at > clock_timestamp() - span
    order by at desc offset budget.max - 1 limit 1
  ) oldest
  order by seconds desc`

const lockSql = `
  select pg_advisory_xact_lock(hashtextextended(name, 20027))
  from (select name from unnest(:names::text[]) name order by name offset 0) ordered`

/**
 * Counts a send in every budget, or in none. PostgreSQL counts under locks, so the count is exact over all processes
 * and works without Redis: no code is ever sent uncounted.
 * @param trx the transaction that stores what is sent
 * @throws RATE_LIMITED with the seconds until the next send is possible
 */
export async function countSend(trx: Knex, budgets: readonly SendBudget[]): Promise<void> {
  const names = budgets.map(({ name }) => name)
  const limits = budgets.map(({ max }) => max)
  // A flood beyond a budget is refused before it waits for a lock.
  await assertWithinBudgets(trx, budgets, { names, limits })
  await trx.raw(lockSql, { names })
  await assertWithinBudgets(trx, budgets, { names, limits })
  await trx.raw('insert into code_sends (budget) select unnest(:names::text[])', { names })
}

async function assertWithinBudgets(
  trx: Knex,
  budgets: readonly SendBudget[],
  bindings: { names: string[]; limits: number[] },
) {
  const { rows } = await trx.raw<{ rows: { name: string; seconds: number }[] }>(usedUpSql, bindings)
  const [strictest] = rows
  const budget = budgets.find(({ name }) => name === strictest?.name)
  if (!strictest || !budget) return
  const { seconds } = strictest
  throw createProblem('RATE_LIMITED', `At most ${budget.max} ${budget.phrase}. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}

/** Deletes sends that no budget counts any more. */
export async function deleteOldSends(db: Knex): Promise<void> {
  await db.raw(`delete from code_sends where id in (
    select id from code_sends
    where at < now() - interval '1 hour' and (budget not like 'day:%' or at < now() - interval '1 day')
    order by at limit 500 for update skip locked)`)
}
