import { createHmac } from 'node:crypto'
import type { Knex } from 'knex'
import { lockByName } from '../../../database/lock.ts'
import { createProblem } from '../../../kernel/problem.ts'
import { toIpNetwork } from '../../../kernel/request/ip-network.ts'
import type { Context } from '../../../kernel/work.ts'
import { countSend, type SendBudget } from '../../identity/index.ts'
import type { PassportRow } from '../passports/index.ts'

/** The most reports in an hour: of a passport from one address, for an organization from one address and from all. */
const maxPerAddressAndPassport = 5
const maxPerAddressAndOrganization = 30
const maxPerOrganization = 1_000

/** The most reports that wait: of one passport, and of all passports of an organization. */
const maxOpenOfPassport = 1_000
const maxOpenOfOrganization = 10_000

/** The seconds after which a report may find room again that members have to make. */
const retryAfterSeconds = 3_600

type Reported = Pick<PassportRow, 'id' | 'organization'>

/** Returns a keyed hash, so that neither the address nor what it reported can be found out from what is stored. */
export function hashOrigin(
  { settings: { sessionSecret } }: Pick<Context, 'settings'>,
  address: string,
  ...parts: readonly string[]
): Buffer {
  if (sessionSecret === undefined) throw new Error('SESSION_SECRET is not set; reports need it')
  return createHmac('sha256', sessionSecret)
    .update(JSON.stringify(['report', toIpNetwork(address), ...parts]))
    .digest()
    .subarray(0, 16)
}

/**
 * Counts a report, and locks the reports of the organization until the end of the transaction. An address is the /64 of
 * IPv6. The budgets are those by which codes and mails are limited: exact over all processes, without Redis too.
 * @throws RATE_LIMITED beyond 5 reports of a passport or 30 of an organization from one address, or 1,000 of an organization,
 * in an hour, and while 1,000 reports of the passport or 10,000 of the organization wait
 */
export async function countReport(
  trx: Knex,
  context: Context,
  { id, organization }: Reported,
  address: string,
): Promise<void> {
  await countSend(trx, createBudgets(context, { id, organization }, address))
  await lockByName(trx, `passport reports ${organization}`)
  const {
    rows: [open],
  } = await trx.raw<{ rows: { passport: number; organization: number }[] }>(
    `select (select count(*) from (select from passport_reports
        where organization = :organization and passport = :id and handled_at is null limit ${maxOpenOfPassport}) p)::int as passport,
      (select count(*) from (select from passport_reports
        where organization = :organization and handled_at is null limit ${maxOpenOfOrganization}) o)::int as organization`,
    { organization, id },
  )
  if (!open || open.passport >= maxOpenOfPassport || open.organization >= maxOpenOfOrganization)
    throw createProblem('RATE_LIMITED', 'Too many reports wait for the organization. Try again later.', {
      headers: { 'Retry-After': String(retryAfterSeconds) },
    })
}

function createBudgets(context: Context, { id, organization }: Reported, address: string): SendBudget[] {
  const nameBudget = (...parts: readonly string[]) => `report:${hashOrigin(context, address, ...parts).toString('hex')}`
  return [
    {
      name: nameBudget(id),
      max: maxPerAddressAndPassport,
      phrase: 'reports of a passport an hour are taken from one address',
    },
    {
      name: nameBudget(organization),
      max: maxPerAddressAndOrganization,
      phrase: 'reports of an organization an hour are taken from one address',
    },
    {
      name: `report:organization:${organization}`,
      max: maxPerOrganization,
      phrase: 'reports an hour are taken for one organization',
    },
  ]
}
