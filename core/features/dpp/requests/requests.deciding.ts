import type { Knex } from 'knex'
import { createModelSource, listPage } from '../../../database/list/index.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import type { PageRequest, PageResult } from '../../../kernel/page.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { words } from '../../../languages/index.ts'
import { readAnyApplication } from '../../applications/index.ts'
import { countSend, createMailBudgets, formatPlainName } from '../../identity/index.ts'
import { createMagicToken } from '../claims/index.ts'
import { namePassports } from '../selection/index.ts'
import { requestStatus } from './requests.machine.ts'
import { requestColumns, RequestRow } from './requests.model.ts'

/** A request as members of the organization see it. */
export interface ClaimRequest extends Pick<
  RequestRow,
  'id' | 'application' | 'status' | 'email' | 'phoneNumber' | 'text' | 'decidedAt' | 'createdAt'
> {
  /** The passport, by the name that people know it by. */
  passport: { id: string; name: string }
}

/** Lists the requests for passports of the caller's organization. */
export async function listRequests(
  { trx }: Work,
  { organization }: OrganizationCaller,
  page: PageRequest,
): Promise<PageResult<ClaimRequest>> {
  const source = createModelSource(RequestRow.query(trx).where('claim_requests.organization', organization))
  const found = await listPage(source, page, requestColumns)
  const passports = await namePassports(trx, [...new Set(found.data.map(({ passport }) => passport))])
  const names = new Map(passports.map(({ id, name }) => [id, name]))
  return {
    ...found,
    data: found.data.map(({ id, application, status, email, phoneNumber, text, decidedAt, createdAt, passport }) => ({
      id,
      application,
      status,
      email,
      phoneNumber,
      text,
      decidedAt,
      createdAt,
      passport: { id: passport, name: names.get(passport) ?? passport },
    })),
  }
}

/**
 * Decides about a request that waits, and tells whoever asked: with a link by which they claim the passport, once, or
 * that the organization could not confirm it. What is decided already stays so.
 * @throws NOT_FOUND, RATE_LIMITED
 * @throws DPP_PASSPORT_NOT_CLAIMABLE for an approval of a passport that nobody can claim any more
 */
export async function decideRequest(
  work: Work,
  caller: OrganizationCaller,
  id: string,
  decision: 'approve' | 'decline',
): Promise<void> {
  const { trx } = work
  const row = await RequestRow.query(trx).where({ organization: caller.organization }).findById(id).forUpdate()
  if (!row) throw createNotFoundProblem()
  if (!requestStatus.canMove(decision, row.status)) return
  const link = decision === 'approve' ? (await createMagicToken(work, caller, row.passport)).url : null
  await trx.raw(
    `update claim_requests set ${requestStatus.set(decision)}, decided_at = now(), updated_at = now() where id = ?`,
    [id],
  )
  await sendDecision(trx, work, row, link)
}

/** @param link by which the passport is claimed; null if it was not approved */
async function sendDecision(trx: Knex, { context }: Work, row: RequestRow, link: string | null): Promise<void> {
  const to = row.email ?? row.phoneNumber
  // The person has erased where they are reached.
  if (to === null) return
  const [{ theme, name }, [named]] = await Promise.all([
    readAnyApplication(trx, row.application),
    namePassports(trx, [row.passport]),
  ])
  await countSend(trx, createMailBudgets(context, row.organization, to))
  const brand = formatPlainName(theme.title ?? name)
  const product = formatPlainName(named?.name ?? '').slice(0, 120)
  const { language, application } = row
  const { approved, declined } = words[language].owning.message
  const subject = (link === null ? declined : approved).subject(product, brand)
  const text = link === null ? declined.text(product, brand) : approved.text(product, brand, link)
  const parts = link === null ? declined.mail(product, brand) : approved.mail(product, brand, link)
  await context.messenger.sendMessage(
    trx,
    row.email === null
      ? { to, channel: 'sms', subject, text }
      : { to, channel: 'email', subject, parts, language, application },
  )
}
