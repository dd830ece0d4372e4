import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { createProblem } from '../../../../kernel/problem.ts'
import { boolean, object, oneOf, optional, string, Type, type Static } from '../../../../kernel/schema.ts'
import { isSignedEvent } from './client.ts'
import { skipReasons, takeEvent } from './events.ts'

/** The provider sends more members than are read. */
const open = { additionalProperties: true }

const BillingEventBody = object(
  {
    id: string('Its identifier.', { minLength: 1, maxLength: 255 }),
    type: string('What happened.', { minLength: 1, maxLength: 255 }),
    data: object({ object: Type.Record(Type.String(), Type.Unknown(), { description: 'What it is about.' }) }, open),
  },
  open,
)

const BillingEventTaken = object({
  received: optional(boolean('It counts once.')),
  skipped: optional(oneOf(skipReasons, 'Why it changes nothing.')),
})

function findCustomer({ data }: Static<typeof BillingEventBody>): string | null {
  const { customer } = data.object
  if (typeof customer === 'string') return customer
  const id = (customer as { id?: unknown } | null | undefined)?.id
  return typeof id === 'string' ? id : null
}

/** Called by the provider, as its documentation says, so the document of our API leaves it out. */
const takeEventOperation = declareOperation({
  id: 'take_stripe_event_v1',
  method: 'POST',
  path: '/v1/billing/webhooks/stripe',
  access: 'public',
  body: BillingEventBody,
  returns: { 200: BillingEventTaken },
  problemCodes: ['WEBHOOK_INVALID_SIGNATURE'],
  document: { tag: 'Billing', summary: 'Take an event of Stripe', isHidden: true },
}).withSignedHandler(
  async ({ context, headers, bytes }) => {
    if (await isSignedEvent(context.settings, bytes, headers['stripe-signature'])) return true
    throw createProblem('WEBHOOK_INVALID_SIGNATURE', 'Stripe-Signature is not the signature of this body.')
  },
  async ({ context, body }) => {
    const skipped = await takeEvent(context, { id: body.id, type: body.type, customer: findCustomer(body) })
    return skipped === null ? { received: true } : { skipped }
  },
)

export const stripeOperations: Operation[] = [takeEventOperation]
