import { object, optional, string, uuid, type Static } from '../../../kernel/schema.ts'

/** The most characters of what somebody says about an item. */
export const maxRequestLength = 1_000

export const NewClaimRequest = object(
  {
    passport: uuid('Passport of the item.'),
    text: optional(
      string('How the item came to them, as plain text. White space around it is not kept.', {
        maxLength: maxRequestLength,
        examples: ['Bought in the shop in Lyon on 3 May, paid by card.'],
      }),
    ),
  },
  { title: 'NewClaimRequest', description: 'Asks the organization of a passport for it.' },
)
export type NewClaimRequest = Static<typeof NewClaimRequest>
