import type { Network } from '../../../chains/networks.ts'
import { createModelSource, listPage } from '../../../database/list/index.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { mapPageResult, type FilterNode, type PageRequest, type PageResult } from '../../../kernel/page.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { assignmentColumns, AssignmentModel } from './assignments.model.ts'
import { presentAssignment } from './assignments.present.ts'
import type { Assignment } from './assignments.schema.ts'

const hasStatus = (node: FilterNode): boolean =>
  'field' in node ? node.field === 'status' : node.value.some(hasStatus)

/** Lists the assignments of the caller's organization: the pending ones, unless a filter is about their status. */
export async function listAssignments(
  { trx }: Pick<Work, 'trx'>,
  { organization }: OrganizationCaller,
  page: PageRequest,
  { network }: { network?: Network | undefined } = {},
): Promise<PageResult<Assignment>> {
  const assignments = AssignmentModel.query(trx).modify('ofOrganization', organization)
  if (network !== undefined) void assignments.where('account_assignments.network', network)
  if (!hasStatus(page.filters)) void assignments.where('account_assignments.status', 'pending')
  return mapPageResult(await listPage(createModelSource(assignments), page, assignmentColumns), presentAssignment)
}

/** Reads an assignment of the caller's organization. @throws NOT_FOUND, for another organization's too */
export async function readOwnAssignment(
  { trx }: Pick<Work, 'trx'>,
  { organization }: OrganizationCaller,
  id: string,
): Promise<Assignment> {
  const assignment = await AssignmentModel.query(trx).findById(id).modify('ofOrganization', organization)
  if (!assignment) throw createNotFoundProblem()
  return presentAssignment(assignment)
}

/** The number of assignments that `readAllAssignments` holds at a time. */
const maxBatchSize = 1_000

/** Reads all assignments that match the filters of a page, in its order, outside any transaction. */
export async function* readAllAssignments(
  work: Pick<Work, 'trx'>,
  caller: OrganizationCaller,
  page: PageRequest,
  options: { network?: Network | undefined } = {},
): AsyncGenerator<Assignment[]> {
  let cursor: string | null = null
  do {
    const request: PageRequest = { ...page, currentPage: 1, pageSize: maxBatchSize, cursor }
    const batch: PageResult<Assignment> = await listAssignments(work, caller, request, options)
    yield batch.data
    cursor = batch.nextCursor
  } while (cursor !== null)
}
