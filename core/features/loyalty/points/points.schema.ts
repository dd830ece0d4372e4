import { instant, nameText, object, optional, string, uuid, type Static } from '../../../kernel/schema.ts'
import { PointsAmount, pointsText } from '../amounts/index.ts'

const changeMembers = {
  amount: PointsAmount,
  reason: optional(nameText('Why, for people.')),
  reference: optional(
    string('Your identifier of this act, one for ever an account: sent again, it counts once.', {
      minLength: 1,
      maxLength: 200,
      pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    }),
  ),
}

export const NewMint = object(
  {
    ...changeMembers,
    activatesAt: optional(instant('Pending until then; now by default.')),
    expiresAt: optional(instant('What is left then expires; never by default.')),
  },
  { title: 'NewMint', description: 'Points to credit.' },
)
export const NewBurn = object(changeMembers, { title: 'NewBurn', description: 'Points to take.' })

/** What a request asks for: credited by a mint, taken by a burn. */
export type PointsChange = Static<typeof NewMint>

/** `0x` and 64 hexadecimal digits. */
export const operationIdText = string('Identifies the act for ever, on the chain too.', {
  pattern: '^0x[0-9a-f]{64}$',
})

export const PointsAccepted = object(
  {
    jobId: uuid('The job that follows the act on the chain: /v1/jobs/:jobId.'),
    operationId: operationIdText,
    amount: pointsText('The points of the act.'),
    optimisticBalance: pointsText('What the account has now, whatever the chain says yet.'),
  },
  { title: 'PointsAccepted', description: 'The balance has changed already; the chain follows.' },
)
export type PointsAccepted = Static<typeof PointsAccepted>

export const accountParams = { id: uuid('The account.') }
