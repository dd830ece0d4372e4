import ip from 'ipaddr.js'
import type { Knex } from 'knex'
import { networkOf } from '../../../kernel/network.ts'
import { problem } from '../../../kernel/problem.ts'
import { sealFor, type AuthParts, type Realm } from '../auth.ts'
import type { Address } from './one-time-codes.ts'

/** Codes that one recipient gets within an hour in one realm. */
const maxPerRecipient = 5

/** What a send takes from: at most `max` in any hour. The name is never an address in plain. */
interface Budget { name: string; max: number; words: string }

/** Who asks for a code. An application has an organization; members have neither. */
export interface Asking { realm: Realm; organization: string | null; address: string }

/**
 * The budgets of a send. All but the organization's own belong to one realm, so that sends of one application leave
 * those of another, and of members, untouched: a page of one brand cannot use up what its visitor needs at another.
 */
export function budgetsOf(parts: AuthParts, asking: Asking, to: Address): Budget[] {
  const { settings } = parts
  const { realm, organization, address } = asking
  const budgets: Budget[] = [{
    name: `recipient:${sealFor(parts, realm, `${to.channel}:${to.to}`)}`, max: maxPerRecipient, words: 'to one address',
  }]
  if (!(settings.development && isLoopback(address))) {
    budgets.push({
      name: `address:${sealFor(parts, realm, networkOf(address))}`, max: settings.codeSendsPerAddressHour, words: 'at the request of one address',
    })
  }
  if (realm.application !== null) {
    budgets.push({ name: `application:${realm.application}`, max: settings.codeSendsPerApplicationHour, words: 'for one application' })
  }
  if (organization !== null) {
    budgets.push({ name: `organization:${organization}`, max: settings.codeSendsPerOrganizationHour, words: 'for one organization' })
  }
  return budgets.filter(({ max }) => max > 0)
}

const isLoopback = (address: string) => ip.isValid(address) && ip.process(address).range() === 'loopback'

/** The budgets that are used up, each with the seconds until it has room again. */
const usedUpSql = `
  select budget.name, least(3600, greatest(1, ceil(extract(epoch from oldest.at + interval '1 hour' - clock_timestamp()))))::int as seconds
  from unnest(:names::text[], :limits::int[]) budget(name, max)
  cross join lateral (
    select at from code_sends where budget = budget.name and at > clock_timestamp() - interval '1 hour'
    order by at desc offset budget.max - 1 limit 1
  ) oldest
  order by seconds desc`

const lockSql = `
  select pg_advisory_xact_lock(hashtextextended(name, 20027))
  from (select name from unnest(:names::text[]) name order by name offset 0) ordered`

/**
 * Takes a send from every budget, or from none. Counted in PostgreSQL under locks, so it is exact over all processes,
 * and with Redis away too: no code is ever sent uncounted. @param trx the transaction that keeps code and message
 * @throws RATE_LIMITED with the seconds until the next send can go
 */
export async function countSend(trx: Knex, budgets: readonly Budget[]): Promise<void> {
  const names = budgets.map(({ name }) => name)
  const limits = budgets.map(({ max }) => max)
  // A flood past a budget is refused before it waits for a lock.
  await refuseUsedUp(trx, budgets, { names, limits })
  await trx.raw(lockSql, { names })
  await refuseUsedUp(trx, budgets, { names, limits })
  await trx.raw('insert into code_sends (budget) select unnest(:names::text[])', { names })
}

async function refuseUsedUp(trx: Knex, budgets: readonly Budget[], bindings: { names: string[]; limits: number[] }) {
  const { rows } = await trx.raw<{ rows: { name: string; seconds: number }[] }>(usedUpSql, bindings)
  const [longest] = rows
  const budget = budgets.find(({ name }) => name === longest?.name)
  if (!longest || !budget) return
  const { seconds } = longest
  throw problem('RATE_LIMITED', `At most ${budget.max} codes an hour go out ${budget.words}. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}

/** Deletes sends that no budget counts any more. */
export async function forgetSends(db: Knex): Promise<void> {
  await db.raw(`delete from code_sends where id in (
    select id from code_sends where at < now() - interval '1 hour' order by at limit 500 for update skip locked)`)
}
