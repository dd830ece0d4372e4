import { randomUUID } from 'node:crypto'
import type { Context } from '../../../../kernel/work.ts'
import { readAnyApplication } from '../../../applications/index.ts'
import {
  createPushers,
  forgetToken,
  listPushTargets,
  readWalletCredentials,
  type PushOutcome,
  type PushTarget,
} from '../../cards/index.ts'
import type { CampaignModel } from '../campaigns.model.ts'
import { WalletRefusedError, type Sender, type SendOutcome } from './senders.types.ts'

/** Seconds after which a push is repeated if nobody knows what became of it: it only makes a phone fetch its card. */
const unknownSeconds = 1

/** What the service says when the certificate is at fault. Source: Apple, "Handling notification responses from APNs". */
const credentialCodes: ReadonlySet<string> = new Set([
  'BadCertificate',
  'BadCertificateEnvironment',
  'Forbidden',
  'InvalidProviderToken',
  'MissingProviderToken',
  'TopicDisallowed',
])

/** Creates the sender of Apple Wallet. @throws WALLET_NOT_CONFIGURED */
export async function createAppleSender(context: Context, campaign: CampaignModel): Promise<Sender> {
  const { db } = context
  const application = await readAnyApplication(db, campaign.application)
  const credentials = await readWalletCredentials(db, context, application, 'apple-wallet')
  const pushers = createPushers(context, { maxSessions: 2 })
  const pusher = pushers.get(credentials)
  const topic = credentials.passTypeIdentifier
  const text = `${campaign.headline ?? ''}\n${campaign.body ?? ''}`

  const gonePhones: (() => Promise<void>)[] = []

  /** Pushes to all phones that have a card. */
  async function pushCard(target: PushTarget | undefined): Promise<SendOutcome> {
    if (!target || target.tokens.length === 0) return { status: 'failed', code: 'NO_DEVICE' }
    const outcomes = await Promise.all(
      target.tokens.map((token) => pusher.push({ token, topic, id: randomUUID(), text })),
    )
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.status !== 'failed') continue
      if (credentialCodes.has(outcome.code)) throw new WalletRefusedError('Apple Wallet', outcome.code)
      if (outcome.isGone) gonePhones.push(() => forgetPhone(target, at, outcome.endedAt))
    }
    return joinOutcomes(outcomes)
  }

  async function forgetPhone(
    { card, account, devices, tokens }: PushTarget,
    at: number,
    endedAt?: Date,
  ): Promise<void> {
    const [device, pushToken] = [devices[at], tokens[at]]
    if (device === undefined || pushToken === undefined) return
    const own = { id: card, account, channel: 'apple-wallet' } as const
    await db.transaction((trx) => forgetToken(trx, own, { card, device, pushToken }, endedAt ?? null))
  }

  return {
    async send({ accounts }) {
      const targets = await listPushTargets(db, 'apple-wallet', accounts)
      const outcomes = await Promise.all(accounts.map((account) => pushCard(targets.get(account))))
      // One after the other: many phones may be gone at once, and others need connections of the database too.
      for (const forget of gonePhones.splice(0)) await forget()
      return outcomes
    },
    close: async () => pushers.close(),
  }
}

/** One phone that was reached is enough, and the card is pushed again only if none was and one may be. */
function joinOutcomes(outcomes: readonly PushOutcome[]): SendOutcome {
  let failure: SendOutcome = { status: 'failed', code: 'NO_DEVICE' }
  let postponement: SendOutcome | undefined
  for (const outcome of outcomes) {
    if (outcome.status === 'sent') return outcome
    if (outcome.status === 'failed') failure = { status: 'failed', code: outcome.code }
    else if (outcome.status === 'later') postponement = { ...outcome, code: 'POSTPONED' }
    else postponement ??= { status: 'later', afterSeconds: unknownSeconds, code: 'UNKNOWN' }
  }
  return postponement ?? failure
}
