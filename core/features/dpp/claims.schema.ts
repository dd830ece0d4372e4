import { Type, object, optional, uuid, type Static } from '../../kernel/schema.ts'

const product = optional(uuid('Sheet of the passport; has to be the right one when sent.'))

export const NewClaim = object({
  product,
  passport: uuid('Passport to claim. Your verified e-mail or phone has to be the one that it may be claimed by.'),
}, { title: 'NewClaim', description: 'A claim by e-mail or phone.' })
export type NewClaim = Static<typeof NewClaim>

export const NewTokenClaim = object(
  {
    product,
    // Of any length: what is no token is refused as one that is forged.
    magicToken: Type.String({ description: 'The token of the passport, as its link or QR code carries it.' }),
  },
  { title: 'NewTokenClaim', description: 'A claim by magic token.' },
)
export type NewTokenClaim = Static<typeof NewTokenClaim>
