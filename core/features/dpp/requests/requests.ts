import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { EndUserCaller } from '../../../kernel/caller.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import type { Language } from '../../../languages/index.ts'
import { countSend } from '../../identity/index.ts'
import { assertClaimable, findLockedPassport, recordPassportEvents } from '../passports/index.ts'
import { hashOrigin } from '../reports/index.ts'
import { requestStatus } from './requests.machine.ts'
import type { NewClaimRequest } from './requests.schema.ts'

/** The most requests in an hour: of one address for one organization; and in a day: of one person, for one organization. */
const maxPerAddress = 30
const maxPerPerson = 5
const maxPerOrganization = 1_000

/**
 * Asks the organization of a passport for it, in the name of a buyer whom the passport does not name. The same buyer asks
 * for a passport once while that waits: what they say again takes the place of what they said.
 * @param language in which they are answered
 * @throws NOT_FOUND, DPP_PASSPORT_NOT_CLAIMABLE, RATE_LIMITED
 */
export async function requestPassport(
  { trx, context, address }: Work,
  caller: EndUserCaller,
  { passport, text = '' }: NewClaimRequest,
  language: Language,
): Promise<void> {
  const { application, user } = caller
  const row = await findLockedPassport(trx, application, passport)
  if (!row) throw createNotFoundProblem()
  await assertClaimable(trx, row)
  await countRequest(trx, context, { organization: row.organization, user, address })
  const { rows } = await trx.raw<{ rows: { isNew: boolean }[] }>(
    `insert into claim_requests (id, organization, application, passport, ${requestStatus.column}, end_user, email,
       phone_number, language, text)
     values (?, ?, ?, ?, ${requestStatus.target('create')}, ?, ?, ?, ?, ?)
     on conflict (passport, end_user) where status = 'waiting' do update
       set text = excluded.text, language = excluded.language, email = excluded.email,
         phone_number = excluded.phone_number, updated_at = now()
     returning xmax = 0 as "isNew"`,
    [
      newId(),
      row.organization,
      application,
      passport,
      user,
      caller.email,
      caller.email === null ? caller.phoneNumber : null,
      language,
      text.trim(),
    ] as Knex.RawBinding[],
  )
  if (rows[0]?.isNew === true) await recordPassportEvents(trx, 'update', [row])
}

/** @throws RATE_LIMITED beyond 30 requests an hour of an address, 5 a day of a person, or 1,000 a day for an organization */
const countRequest = (
  trx: Knex,
  context: Context,
  { organization, user, address }: { organization: string; user: string; address: string },
): Promise<void> =>
  countSend(trx, [
    {
      name: `claim-request:${hashOrigin(context, address, 'claim-request', organization).toString('hex')}`,
      max: maxPerAddress,
      phrase: 'requests for passports an hour are taken from one address',
    },
    {
      name: `day:claim-request:${createHash('sha256').update(user).digest('base64url')}`,
      max: maxPerPerson,
      phrase: 'requests for passports a day are taken from one person',
    },
    {
      name: `day:claim-request:organization:${organization}`,
      max: maxPerOrganization,
      phrase: 'requests for passports a day are taken for one organization',
    },
  ])
