import type { Knex } from 'knex'
import type { QueryBuilder } from 'objection'
import { Model } from '../../../database/model.ts'
import type { DomainStatus, ProofFailure, ProofMethod } from './domains.schema.ts'

/** A domain that an application has or had, with the state of its proof. */
export class ApplicationDomain extends Model {
  declare organization: string
  declare application: string
  declare domain: string
  declare status: DomainStatus
  declare reason: ProofFailure | null
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

/** Counts the domains that an application has. */
export const countApplicationDomains = (trx: Knex, application: string): Promise<number> =>
  ApplicationDomain.query(trx).modify('ofApplication', application).resultSize()
