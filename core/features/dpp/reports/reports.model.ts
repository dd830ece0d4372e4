import type { Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import type { ReportKind } from './reports.schema.ts'

/** A report of a passport. */
export class ReportRow extends Model {
  declare organization: string
  declare application: string
  declare passport: string
  declare kind: ReportKind
  declare text: string
  declare email: string | null
  /** A keyed hash by which the report is known when it is sent again; null once it was handled. */
  declare mark: Buffer | null
  declare handledAt: string | null

  static override tableName = 'passport_reports'
}

/** The SQL of the fields by which reports are filtered and sorted. */
export const reportColumns: Columns = {
  id: { sql: 'passport_reports.id' },
  createdAt: { sql: 'passport_reports.created_at' },
  'application.id': { sql: 'passport_reports.application' },
  'passport.id': { sql: 'passport_reports.passport' },
  kind: { sql: 'passport_reports.kind' },
  handledAt: { sql: 'passport_reports.handled_at', nullable: true },
}
