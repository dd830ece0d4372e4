import { setTimeout } from 'node:timers/promises'
import { ProblemError } from '../../../../kernel/problem.ts'
import type { Context } from '../../../../kernel/work.ts'
import { findApplication } from '../../../applications/index.ts'
import type { PassApplication } from '../apple/pictures.ts'
import type { Card } from '../cards.store.ts'
import { readContentsOf } from '../content.ts'
import type { ChannelUpdater } from '../updates.types.ts'
import type { GoogleOutcome } from './outcomes.ts'
import { openGoogle, readProgram, toGoogleContent } from './service.ts'
import { createClass, createShownMembers, getObjectId } from './templates.ts'

/** Milliseconds between two requests: fewer than the 20 a second that Google takes, because campaigns need some too. */
const gapMs = 70

/** Creates what shows the present state of cards at Google. Nobody is notified. */
export function createGoogleUpdater(context: Context): ChannelUpdater {
  const stop = new AbortController()
  return {
    async update(cards) {
      const failed = new Set<string>()
      for (const [id, own] of Map.groupBy(cards, ({ application }) => application)) {
        const application = await findApplication(context.db, id)
        if (!application) continue
        for (const card of await updateCards(context, { application, cards: own, signal: stop.signal }))
          failed.add(card)
      }
      return failed
    },
    close: () => stop.abort(),
  }
}

/** Updates the cards of one application. @returns the ids of those to try again later */
async function updateCards(
  context: Context,
  { application, cards, signal }: { application: PassApplication; cards: readonly Card[]; signal: AbortSignal },
): Promise<ReadonlySet<string>> {
  const left = new Set(cards.map(({ id }) => id))
  const issuer = await openIssuer(context, application)
  if (!issuer) return new Set()
  const { client, credentials } = issuer
  const { issuerId } = credentials
  // The client sends the class only if it has changed.
  const made = await client.ensureClass(createClass(await readProgram(context, application, issuerId)))
  if (made.status !== 'sent') return isSettled(context, application.id, made) ? new Set() : left
  for (const content of await readContentsOf(context.db, cards)) {
    if (signal.aborted) return left
    const members = createShownMembers(toGoogleContent(content))
    const outcome = await client.patchObject(getObjectId(issuerId, content.card), members)
    if (isSettled(context, content.card, outcome)) left.delete(content.card)
    // Whatever puts one off puts off the others too.
    else return left
    await setTimeout(gapMs)
  }
  return new Set()
}

/** Opens the API for an application. One without credentials can show nothing. */
async function openIssuer(context: Context, application: PassApplication) {
  try {
    return await openGoogle(context.db, context, application)
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'WALLET_NOT_CONFIGURED') throw error
    context.log.warn({ application: application.id, reason: error.detail }, 'cards at Google are not updated')
    return null
  }
}

/** Whether nothing is left to do after an outcome. What Google refuses is not tried again before the next change. */
function isSettled({ log }: Pick<Context, 'log'>, id: string, outcome: GoogleOutcome): boolean {
  if (outcome.status === 'failed') log.warn({ id, code: outcome.code }, 'Google refused a change of cards')
  return outcome.status === 'sent' || outcome.status === 'failed'
}
