import type { Knex } from 'knex'
import type { Network } from '../../../../core/chains/networks.ts'

/** A job that records one act on a certification key on one network. */
export interface KeyJob {
  id: string
  status: string
  act: string
  key: string
  network: Network
}

/** Lists the jobs about the keys of an organization, oldest first. No answer lists them. */
export async function listKeyJobs(db: Knex, organization: string): Promise<KeyJob[]> {
  const rows = await db('jobs')
    .where({ organization, type: 'rotate' })
    .orderBy('id')
    .select<{ id: string; status: string; payload: Omit<KeyJob, 'id' | 'status'> }[]>('id', 'status', 'payload')
  return rows.map(({ id, status, payload }) => ({ id, status, ...payload }))
}

/** Reads what a job has counted so far, and whether it was woken, which no answer shows. */
export async function readJobProgress(
  db: Knex,
  job: string,
): Promise<{ completed: number; failed: number; isWoken: boolean }> {
  const row = await db('jobs')
    .where({ id: job })
    .first<{ completed: number; failed: number; isWoken: boolean } | undefined>(
      'completed',
      'failed',
      'woken as isWoken',
    )
  if (!row) throw new Error(`There is no job ${job}`)
  return row
}

/** Checks whether a job that has published its passport waits to sign the certificate, and no run holds it. */
export async function isWaitingToSign(db: Knex, job: string): Promise<boolean> {
  const found = await db('jobs')
    .where({ id: job, status: 'pending', lease_holder: null })
    .whereRaw(`due_at > now() and state ->> 'published' = '1'`)
    .first<{ id: string } | undefined>('id')
  return found !== undefined
}
