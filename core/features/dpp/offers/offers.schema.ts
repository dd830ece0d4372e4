import { instant, nullable, object, oneOf, optional, string, Type, uuid, type Static } from '../../../kernel/schema.ts'
import { createPhoneNumberSchema } from '../passports/index.ts'
import { offerStatuses } from './offers.machine.ts'

export const NewTransfer = object(
  {
    email: optional(
      string('E-mail address of whoever gets it, kept in lower case.', {
        format: 'email',
        maxLength: 254,
        examples: ['ada@example.com'],
      }),
    ),
    phone: optional(createPhoneNumberSchema('Phone number of whoever gets it (E.164), instead of an e-mail address.')),
  },
  {
    title: 'NewTransfer',
    description: 'To whom a passport is passed on: an e-mail address or a phone number, one of them.',
    examples: [{ email: 'ada@example.com' }],
  },
)
export type NewTransfer = Static<typeof NewTransfer>

export const TransferAnswer = object(
  {
    // Any text is taken: one that is no token gets the same answer as a wrong token.
    token: Type.String({ description: 'The token in the link of the message.' }),
  },
  { title: 'TransferAnswer', description: 'What shows that the message of an offer arrived.' },
)

export const Transfer = object(
  {
    id: uuid('The offer.'),
    passport: uuid('The passport that is passed on.'),
    direction: oneOf(['made', 'received'], 'made: you pass it on; received: it is passed on to you.'),
    status: oneOf(
      offerStatuses,
      'open: waits for an answer; accepted: the token is on its way; completed: it has arrived; failed: it stayed where '
        + 'it was, and can be offered again.',
    ),
    email: nullable(string('E-mail address that it is offered to.')),
    phone: nullable(createPhoneNumberSchema('Phone number that it is offered to (E.164).')),
    jobId: nullable(uuid('The job that moves the token, once the offer is accepted.')),
    transactionHash: nullable(string('The transaction that moved the token.')),
    reason: nullable(string('Why it failed.')),
    expiresAt: instant('Until when it can be accepted.'),
    createdAt: instant('When it was made.'),
  },
  { title: 'Transfer', description: 'An offer of the owner of a passport to pass it on.' },
)
export type Transfer = Static<typeof Transfer>
