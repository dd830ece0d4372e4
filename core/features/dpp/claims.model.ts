import { Model } from '../../database/model.ts'

/** One attempt of a buyer to claim a passport. */
export class ClaimRow extends Model {
  declare organization: string
  declare application: string
  declare passport: string
  declare job: string
  declare endUser: string
  /** Account that receives the token, once it is known. */
  declare account: string | null
  declare status: 'pending' | 'completed' | 'failed'
  declare kind: 'mintTo' | 'transferTo' | null
  /** The chain operation, once it is queued. */
  declare operation: string | null
  declare transactionHash: string | null
  /** Why it failed, in English. */
  declare reason: string | null

  static override tableName = 'claims'
}
