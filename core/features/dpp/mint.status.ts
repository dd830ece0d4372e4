import type { Knex } from 'knex'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import { problem } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { findJob, jobView, type JobRow } from '../jobs/index.ts'
import type { MintJob, MintResult } from './mint.schema.ts'

/** Which of its rows a mint job shows. */
export interface MintPage { currentPage?: number; pageSize?: number }

/** Rows of a page unless it says how many. */
export const standardRows = 100

/** The mint job of this sheet. @throws DPP_MINT_JOB_NOT_FOUND for any other */
export async function findMintJob(
  work: Work,
  { organization }: OrganizationCaller,
  sheet: string,
  id: string,
): Promise<JobRow> {
  const row = await findJob(work.trx, id)
  if (row?.type !== 'mint' || row.organization !== organization || row.product !== sheet) {
    throw problem('DPP_MINT_JOB_NOT_FOUND', 'This sheet has no mint job with that id, or you cannot see it.')
  }
  return row
}

/** The job with one page of its rows. A passport that was deleted after its mint failed has no row any more. */
export async function mintView(db: Knex, row: JobRow, page: MintPage): Promise<MintJob> {
  return { ...jobView(row), results: await resultsOf(db, row.id, page) }
}

const views = new WeakMap<JobRow, Map<string, Promise<MintJob>>>()

/** The same for streams: a state of the job is read once for all who follow it, whatever their number. */
export function sharedMintView(db: Knex, row: JobRow, page: MintPage): Promise<MintJob> {
  const known = views.get(row) ?? new Map<string, Promise<MintJob>>()
  views.set(row, known)
  const name = `${page.currentPage ?? 1} ${page.pageSize ?? standardRows}`
  const view = known.get(name) ?? mintView(db, row, page)
  known.set(name, view)
  view.catch(() => known.delete(name))
  return view
}

async function resultsOf(
  db: Knex,
  job: string,
  { currentPage = 1, pageSize = standardRows }: MintPage,
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
