import type { Knex } from 'knex'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { findJob, presentJob, type JobRow } from '../../jobs/index.ts'
import type { MintJob, MintResult } from './mint.schema.ts'

/** The page of rows that a mint job shows. */
export interface MintPage {
  currentPage?: number
  pageSize?: number
}

/** The number of rows of a page without a page size. */
export const defaultPageSize = 100

/**
 * Reads a mint job of a sheet.
 * @throws DPP_MINT_JOB_NOT_FOUND for a job of another sheet, organization or type
 */
export async function readMintJob(
  work: Work,
  { organization }: OrganizationCaller,
  sheet: string,
  id: string,
): Promise<JobRow> {
  const row = await findJob(work.trx, id)
  if (row?.type !== 'mint' || row.organization !== organization || row.product !== sheet) {
    throw createProblem('DPP_MINT_JOB_NOT_FOUND', 'This sheet has no mint job with that id, or you cannot see it.')
  }
  return row
}

/** Reads a job with one page of its rows. A passport that was deleted after its mint failed has no row any more. */
export async function readMintView(db: Knex, row: JobRow, page: MintPage): Promise<MintJob> {
  return { ...presentJob(row), results: await listMintResults(db, row.id, page) }
}

const viewsByJob = new WeakMap<JobRow, Map<string, Promise<MintJob>>>()

/**
 * Reads a job like `readMintView`, for streams: each state of a job is read once for everyone who follows the job on
 * the same page.
 */
export function readSharedMintView(db: Knex, row: JobRow, page: MintPage): Promise<MintJob> {
  const known = viewsByJob.get(row) ?? new Map<string, Promise<MintJob>>()
  viewsByJob.set(row, known)
  const name = `${page.currentPage ?? 1} ${page.pageSize ?? defaultPageSize}`
  const view = known.get(name) ?? readMintView(db, row, page)
  known.set(name, view)
  view.catch(() => known.delete(name))
  return view
}

async function listMintResults(
  db: Knex,
  job: string,
  { currentPage = 1, pageSize = defaultPageSize }: MintPage,
): Promise<MintResult[]> {
  const first = (currentPage - 1) * pageSize
  return db('passports')
    .where({ mint_job: job })
    .whereBetween('mint_line', [first, first + pageSize - 1])
    .orderBy('mint_line')
    .select<MintResult[]>({
      line: 'mint_line',
      passport: 'id',
      tokenId: 'token_id',
      transactionHash: 'token_transaction',
    })
}
