import type { Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import type { Language } from '../../../languages/index.ts'
import type { RequestStatus } from './requests.machine.ts'

/** A request of somebody who holds an item that its passport becomes theirs. */
export class RequestRow extends Model {
  declare organization: string
  declare application: string
  declare passport: string
  declare status: RequestStatus
  /** Who asks, and the verified address where they are reached; null where that was erased. */
  declare endUser: string | null
  declare email: string | null
  declare phoneNumber: string | null
  declare language: Language
  declare text: string
  declare decidedAt: string | null

  static override tableName = 'claim_requests'
}

/** The SQL of the fields by which requests are filtered and sorted. */
export const requestColumns: Columns = {
  id: { sql: 'claim_requests.id' },
  createdAt: { sql: 'claim_requests.created_at' },
  'application.id': { sql: 'claim_requests.application' },
  'passport.id': { sql: 'claim_requests.passport' },
  status: { sql: 'claim_requests.status' },
}
