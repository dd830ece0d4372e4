import { Model } from '../../../database/model.ts'
import type { OfferStatus } from './offers.machine.ts'

/** An offer by which the owner of a passport passes it on to somebody. */
export class OfferRow extends Model {
  declare organization: string
  declare application: string
  declare passport: string
  declare status: OfferStatus
  /** The owner's account; null once it was deleted. */
  declare fromAccount: string | null
  declare fromUser: string | null
  /** Whom it is for; both are null once the address was erased. */
  declare toEmail: string | null
  declare toPhoneNumber: string | null
  /** Who accepted it. */
  declare toUser: string | null
  declare toAccount: string | null
  /** SHA-256 of the token in the link. */
  declare tokenHash: Buffer
  declare job: string | null
  /** The chain operation, once it is queued. */
  declare operation: string | null
  declare transactionHash: string | null
  /** Why it failed, in English. */
  declare reason: string | null
  declare expiresAt: string

  static override tableName = 'passport_offers'
}
