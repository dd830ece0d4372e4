import type { QueryBuilder } from 'objection'
import { Model } from '../../../database/model.ts'
import type { DomainStatus, ProofFault, ProofMethod } from './domains.schema.ts'

/** A domain that an application names, or named, and what is known of its proof. */
export class ApplicationDomain extends Model {
  declare organization: string
  declare application: string
  declare domain: string
  declare status: DomainStatus
  declare reason: ProofFault | null
  declare provenAt: string | null
  declare method: ProofMethod | null
  declare missingSince: string | null
  declare checkedAt: string | null
  declare removedAt: string | null

  static override tableName = 'application_domains'
  static override modifiers = {
    ofApplication(query: QueryBuilder<ApplicationDomain>, application: string) {
      void query.where('application_domains.application', application).whereNull('application_domains.removed_at')
    },
  }
}
