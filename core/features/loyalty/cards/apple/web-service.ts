import { timingSafeEqual } from 'node:crypto'
import type { Knex } from 'knex'
import type { SenderInput } from '../../../../kernel/operation.ts'
import { createProblem } from '../../../../kernel/problem.ts'
import type { Context } from '../../../../kernel/work.ts'
import { findApplication } from '../../../applications/index.ts'
import { findCard, recordFetch, recordSharedVersion, type Card } from '../cards.store.ts'
import { readContentsOf, type CardContent } from '../content.ts'
import { findPassType } from '../credentials.ts'
import { openCardToken } from '../secrets.ts'
import { makePassOf } from './presses.ts'

/** The card that a phone has shown the token of. */
export interface PassHolder {
  card: Card
  passType: string
}

const scheme = 'ApplePass '

const createUnauthorizedProblem = () =>
  createProblem('WALLET_PASS_UNAUTHORIZED', 'The request does not have the token of this pass.', {
    headers: { 'WWW-Authenticate': 'ApplePass' },
  })

/**
 * Finds the card that a phone asks for. A card that does not exist, or is another application's, is refused like a wrong
 * token. Source: Apple, "Adding a Web Service to Update Passes".
 * @throws WALLET_PASS_UNAUTHORIZED
 */
export async function findHolder({
  context,
  params: { serial, passType },
  headers: { authorization },
}: Pick<SenderInput<':passType/:serial'>, 'context' | 'params' | 'headers'>): Promise<PassHolder> {
  const token =
    typeof authorization === 'string' && authorization.startsWith(scheme) ? authorization.slice(scheme.length) : null
  const card = token === null ? undefined : await findCard(context.db, serial)
  if (token === null || card?.channel !== 'apple-wallet') throw createUnauthorizedProblem()
  const [given, kept] = [Buffer.from(token.trim()), Buffer.from(openCardToken(context, card))]
  if (given.length !== kept.length || !timingSafeEqual(given, kept)) throw createUnauthorizedProblem()
  const expected = await findPassType(context.db, context, card.application)
  // Without credentials a phone can still take the card off.
  if (expected !== null && expected !== passType) throw createUnauthorizedProblem()
  return { card, passType }
}

/** What a phone gets that asks for a pass: the file, or null if it has this one already. */
export interface UpdatedPass {
  file: Buffer | null
  lastModified: Date
}

/**
 * Makes a pass as it is now, unless the phone has it already. The date of an answer is never later than the answer itself,
 * and a phone that has a date gets every later change, also one of the same second.
 * @throws WALLET_NOT_CONFIGURED, WALLET_PASS_UNAUTHORIZED if its account is gone
 */
export async function updatePass(
  db: Knex,
  context: Context,
  { card: shown }: PassHolder,
  since: Date | null,
): Promise<UpdatedPass> {
  const { card, content } = await readCurrent(db, shown)
  const application = await findApplication(db, content.application)
  if (!application) throw createUnauthorizedProblem()
  const changed = content.changedAt.getTime()
  if (since && !card.isStale && since.getTime() >= changed) return { file: null, lastModified: since }
  const file = await makePassOf(db, context, { card, content, application })
  await recordFetch(db, card.id)
  const now = Math.floor(context.clock.now().getTime() / 1_000) * 1_000
  return { file, lastModified: new Date(Math.min(changed, now)) }
}

/** Reads what a card shows now. What its application or its tier has changed counts as a change of the card. */
async function readCurrent(db: Knex, card: Card): Promise<{ card: Card; content: CardContent }> {
  const [content] = await readContentsOf(db, [card])
  if (!content) throw createUnauthorizedProblem()
  if (content.sharedVersion === card.sharedVersion) return { card, content }
  await recordSharedVersion(db, card.id, content.sharedVersion)
  const next = await findCard(db, card.id)
  const [current] = next ? await readContentsOf(db, [next]) : []
  if (!next || !current) throw createUnauthorizedProblem()
  return { card: next, content: current }
}

/** Reads the date of a header. What is none is ignored. Source: RFC 9110, section 13.1.3. */
export function parseDate(header: string | string[] | undefined): Date | null {
  const at = typeof header === 'string' ? new Date(header) : null
  return at && !Number.isNaN(at.getTime()) ? at : null
}
