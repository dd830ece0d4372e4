import type { Knex } from 'knex'
import type { Job, JobError, JobType } from '../kernel/job.ts'

/** A job as the table has it. Instants are Dates here. */
export interface JobRow {
  id: string
  type: JobType
  organization: string
  application: string | null
  /** The sheet whose mint route answers the status. */
  product: string | null
  /** The buyer who started it. */
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

/** The rows of these jobs, in no order; an unknown id has none. */
export async function readJobs(db: Knex, ids: readonly string[]): Promise<JobRow[]> {
  return db.from<JobRow>('jobs').whereRaw('id = any(?::uuid[])', [ids as string[]]).select('*') as Promise<JobRow[]>
}

/** A job as every status route answers it. */
export function jobView(row: JobRow): Job {
  const { id, type, status, total, completed, failed, result, errors } = row
  return {
    id, type, status, total, completed, failed, result, errors,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/**
 * JSON for a jsonb column. PostgreSQL refuses NUL and lone surrogates in it, which the text of a foreign error can
 * hold; both become U+FFFD. Source: PostgreSQL, section 8.14.
 */
export function jsonb(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'string' ? member.replaceAll('\0', '\ufffd').toWellFormed() : member)
}
