import { Model } from '../../../database/model.ts'
import type { claimStatuses } from './store/claims.machine.ts'

/** One attempt of a buyer to claim a passport. */
export class ClaimRow extends Model {
  declare organization: string
  declare application: string
  declare passport: string
  declare job: string
  declare endUser: string
  /** The account that receives the token, once it is known: with the claim, unless there is none on the network yet. */
  declare account: string | null
  declare status: (typeof claimStatuses)[number]
  declare kind: 'mintTo' | 'transferTo' | null
  /** The chain operation, once it is queued. */
  declare operation: string | null
  declare transactionHash: string | null
  /** Why the claim failed, in English. */
  declare reason: string | null

  static override tableName = 'claims'
}
