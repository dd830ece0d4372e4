import type { QueryBuilder } from 'objection'
import type { Columns } from '../../../database/list/index.ts'
import { Model } from '../../../database/model.ts'
import { createScopedEntity } from '../../../database/scoped-entity.ts'
import type { Job } from '../../../kernel/job.ts'
import type { Dialect, ImportJob } from '../records/index.ts'

/** A row of `imports`; the modifier `withJob` adds the columns of its job. */
export class ImportModel extends Model {
  declare job: string
  declare organization: string
  declare application: string
  declare name: ImportJob['name']
  declare parent: string | null
  declare entityName: ImportJob['data']['entityName']
  declare source: ImportJob['data']['source']
  declare mapper: string | null
  declare network: ImportJob['data']['network']
  declare fileName: string | null
  declare format: Dialect['format'] | null
  declare dialect: Omit<Dialect, 'format'> | null
  declare onDuplicate: ImportJob['data']['onDuplicate']
  declare dryRun: boolean
  declare created: number
  declare updated: number
  declare skipped: number
  declare bytes: number
  declare bytesDone: number
  declare initError: ImportJob['initError']
  declare lineFrom: number | null
  declare lineTo: number | null
  declare warnings: ImportJob['warnings']
  declare unusedColumns: string[]
  declare atomic: boolean
  declare finishedAt: string | null
  declare jobStatus: Job['status']
  declare jobTotal: number
  declare jobCompleted: number
  declare jobFailed: number
  declare jobResult: Job['result']
  declare jobErrors: Job['errors']
  declare jobUpdatedAt: string

  static override tableName = 'imports'
  static override idColumn = 'job'
  static override jsonAttributes = ['dialect', 'warnings', 'unusedColumns', 'initError', 'jobResult', 'jobErrors']
  static override modifiers = {
    ofOrganization(query: QueryBuilder<ImportModel>, organization: string) {
      void query.where('imports.organization', organization)
    },
    withJob(query: QueryBuilder<ImportModel>) {
      void query
        .join('jobs', 'jobs.id', 'imports.job')
        .select(
          'imports.*',
          'jobs.status as job_status',
          'jobs.total as job_total',
          'jobs.completed as job_completed',
          'jobs.failed as job_failed',
          'jobs.result as job_result',
          'jobs.errors as job_errors',
          'jobs.updated_at as job_updated_at',
        )
    },
  }
}

/** Imports and their slices, as requests name them. */
export const importEntity = createScopedEntity('imports', 'job')

export const importColumns: Columns = {
  createdAt: { sql: 'imports.created_at' },
  status: { sql: 'jobs.status' },
  name: { sql: 'imports.name' },
  parent: { sql: 'imports.parent' },
  'data.applicationId': { sql: 'imports.application' },
  'data.entityName': { sql: 'imports.entity_name' },
  'data.source': { sql: 'imports.source' },
  'data.mapperId': { sql: 'imports.mapper' },
}
