import { Type, object, optional, uuid, type Static } from '../../../kernel/schema.ts'

const product = optional(uuid('Sheet of the passport; has to be the right one when sent.'))

export const NewClaim = object(
  {
    product,
    passport: uuid('Passport to claim. Your verified e-mail or phone has to be the one that it may be claimed by.'),
  },
  { title: 'NewClaim', description: 'A claim by e-mail or phone.' },
)
export type NewClaim = Static<typeof NewClaim>

export const NewTokenClaim = object(
  {
    product,
    // Any length is accepted here: a text that is no token gets the same answer as a forged token.
    magicToken: Type.String({ description: 'The token of the passport, as its link or QR code carries it.' }),
  },
  { title: 'NewTokenClaim', description: 'A claim by magic token.' },
)
export type NewTokenClaim = Static<typeof NewTokenClaim>
