import { signJwt, type ServiceAccount } from './jwt.ts'
import type { GoogleObject } from './templates.ts'

const saveAddress = 'https://pay.google.com/gp/v/save/'
/** Browsers may cut what is longer. Source: Google Wallet, loyalty cards, "Working with JSON Web Tokens". */
const maxTokenLength = 1_800

export interface SaveLinkOptions {
  serviceAccount: ServiceAccount
  object: Pick<GoogleObject, 'id' | 'classId'>
  /** Origin of the pages that show the link. */
  origin: string
  now: Date
}

/**
 * Creates the link by which a person saves a card. It only names the card, which Google has already: so its length does
 * not depend on what the card shows, and browsers and their histories learn nothing of it.
 * Source: Google Wallet API JWT
 */
export async function createSaveLink({ serviceAccount, object, origin, now }: SaveLinkOptions): Promise<string> {
  const token = await signJwt(
    serviceAccount,
    {
      aud: 'google',
      typ: 'savetowallet',
      origins: [origin],
      payload: { loyaltyObjects: [{ id: object.id, classId: object.classId }] },
    },
    now,
  )
  if (token.length > maxTokenLength) throw new Error(`The link to save a card has ${token.length} characters.`)
  return `${saveAddress}${token}`
}
