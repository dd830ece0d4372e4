import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../../../kernel/work.ts'
import { readAnyApplication } from '../../../applications/index.ts'
import { getObjectId, listPushTargets, openGoogle, type GoogleOutcome } from '../../cards/index.ts'
import type { CampaignModel } from '../campaigns.model.ts'
import { holdsSlice, reserveMoment, type HeldSlice } from './paces.store.ts'
import { WalletRefusedError, type Sender, type SendOutcome, type SliceTask } from './senders.types.ts'

/**
 * Google takes 20 requests a second of an issuer, in all processes together. Three in twenty are left to the updates of
 * balances, and to requests that arrive closer together than they left. Source: Google Wallet API, rate limits.
 */
const intervalMs = 1_000 / 17
/** The shortest time between two requests of one run that was held up, and sends what it missed. */
const catchUpMs = intervalMs * 0.9
/** Requests of one run that are under way at a time: what an answer takes longer than the interval is made up for. */
const parallelRequests = 8
/** Seconds after which a card is tried again if nobody knows whether it has the message. */
const unknownSeconds = 2

interface GoogleTask extends HeldSlice {
  message: { id: string; headline: string; body: string }
  signal: AbortSignal
  /** Whether an earlier run may have sent some of it. */
  isRepeated: boolean
}

/** Creates the sender of Google Wallet. @throws WALLET_NOT_CONFIGURED */
export async function createGoogleSender(context: Context, campaign: CampaignModel): Promise<Sender> {
  const { db } = context
  const { client, credentials } = await openGoogle(db, context, await readAnyApplication(db, campaign.application))
  const pace = `google-wallet ${credentials.issuerId}`
  /** When the last request left, by the clock of the process. */
  let leftAt = -Infinity
  /** Whether a request was answered, so that there is a token. */
  let isOpen = false

  /** Waits for the moment of the next request. @returns false if the slice is in other hands */
  async function awaitMoment(task: GoogleTask): Promise<boolean> {
    const wait = await reserveMoment(db, pace, task, intervalMs)
    if (wait === null) return false
    await sleep(wait, undefined, { signal: task.signal })
    // A process that was held up would send all that it missed at once.
    const now = performance.now()
    leftAt = Math.max(now, leftAt + catchUpMs)
    if (leftAt > now) await sleep(leftAt - now, undefined, { signal: task.signal })
    // A process that stood still in its sleep may have lost the slice to another one.
    return holdsSlice(db, task)
  }

  async function sendOne(task: GoogleTask, card: string): Promise<SendOutcome> {
    const object = getObjectId(credentials.issuerId, card)
    const lost: SendOutcome = { status: 'later', afterSeconds: unknownSeconds, code: 'TAKEN_OVER' }
    if (task.isRepeated) {
      if (!(await awaitMoment(task))) return lost
      const found = await client.readObject(object)
      if (found.status === 'found' && found.card.messages.includes(task.message.id)) return { status: 'sent' }
      if (found.status !== 'found') return toOutcome(found)
    }
    if (!(await awaitMoment(task))) return lost
    return toOutcome(await client.addMessage({ object, ...task.message }))
  }

  return {
    async send({ slice, job, accounts, signal }: SliceTask) {
      const { id, headline, body } = campaign
      if (headline === null || body === null) throw new Error(`Campaign ${id} has no text`)
      const isRepeated = slice.attempts > 1
      const task = { campaign: id, slice, job, message: { id, headline, body }, signal, isRepeated }
      const targets = await listPushTargets(db, 'google-wallet', accounts)
      const outcomes = new Array<SendOutcome>(accounts.length)
      const places = accounts.entries()
      const work = async (limit = Infinity) => {
        for (let left = limit; left > 0; left--) {
          const { done, value } = places.next()
          if (done) return
          const [at, account] = value
          const target = targets.get(account)
          outcomes[at] = target ? await sendOne(task, target.card) : { status: 'failed', code: 'NO_CARD' }
        }
      }
      // The first request fetches the token. The others would wait for it together, and then leave at once.
      if (!isOpen) await work(1)
      isOpen = true
      await Promise.all(Array.from({ length: parallelRequests }, () => work()))
      return outcomes
    },
    close: async () => undefined,
  }
}

/** A message whose fate is unknown is looked for before it is sent again. */
function toOutcome(outcome: GoogleOutcome): SendOutcome {
  if (outcome.status === 'later') return { ...outcome, code: 'POSTPONED' }
  if (outcome.status === 'unknown') return { status: 'later', afterSeconds: unknownSeconds, code: 'UNKNOWN' }
  if (outcome.status === 'sent') return { status: 'sent' }
  if (credentialCodes.has(outcome.code)) throw new WalletRefusedError('Google Wallet', outcome.code)
  return { status: 'failed', code: outcome.code }
}

/** Google's words for credentials that it does not take. Source: Google API design guide, AIP-193. */
const credentialCodes: ReadonlySet<string> = new Set(['INVALID_CREDENTIALS', 'PERMISSION_DENIED', 'UNAUTHENTICATED'])
