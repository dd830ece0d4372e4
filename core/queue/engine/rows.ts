import type { Knex } from 'knex'
import type { Job, JobError, JobType } from '../../kernel/job.ts'

/** A row of the table of jobs. Instants are Dates. */
export interface JobRow {
  id: string
  type: JobType
  organization: string
  application: string | null
  /** The sheet whose mint route answers the status of the job. */
  product: string | null
  /** The buyer who started the job. */
  end_user: string | null
  status: Job['status']
  total: number
  completed: number
  failed: number
  result: Record<string, unknown> | null
  errors: JobError[]
  payload: unknown
  state: Record<string, unknown>
  attempts: number
  lease_holder: string | null
  version: number
  created_at: Date
  updated_at: Date
}

/** Reads the rows of these jobs, in no order. An unknown id has no row. */
export async function readJobs(db: Knex, ids: readonly string[]): Promise<JobRow[]> {
  return db
    .from<JobRow>('jobs')
    .whereRaw('id = any(?::uuid[])', [ids as string[]])
    .select('*') as Promise<JobRow[]>
}

/** Returns a job as all status routes answer it. */
export function presentJob(row: JobRow): Job {
  const { id, type, status, total, completed, failed, result, errors } = row
  return {
    id,
    type,
    status,
    total,
    completed,
    failed,
    result,
    errors,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/**
 * Formats JSON for a jsonb column. PostgreSQL refuses NUL and lone surrogates, which the text of a foreign error may
 * contain; both are replaced by U+FFFD. Source: PostgreSQL, section 8.14.
 */
export function formatJsonb(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'string' ? member.replaceAll('\0', '\ufffd').toWellFormed() : member,
  )
}
