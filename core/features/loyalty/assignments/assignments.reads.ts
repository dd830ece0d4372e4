import type { Network } from '../../../chains/networks.ts'
import { createModelSource, listPage, withoutTotal } from '../../../database/list/index.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import {
  mapPageResult,
  readAllPages,
  type FilterNode,
  type PageRequest,
  type PageResult,
} from '../../../kernel/page.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { assignmentColumns, AssignmentModel } from './assignments.model.ts'
import { presentAssignment } from './assignments.present.ts'
import type { Assignment } from './assignments.schema.ts'

const hasStatus = (node: FilterNode): boolean =>
  'field' in node ? node.field === 'status' : node.value.some(hasStatus)

interface AssignmentOptions {
  network?: Network | undefined
}

function createAssignmentSource(
  { trx }: Pick<Work, 'trx'>,
  { organization }: OrganizationCaller,
  page: PageRequest,
  { network }: AssignmentOptions,
) {
  const assignments = AssignmentModel.query(trx).modify('ofOrganization', organization)
  if (network !== undefined) void assignments.where('account_assignments.network', network)
  if (!hasStatus(page.filters)) void assignments.where('account_assignments.status', 'pending')
  return createModelSource(assignments)
}

/** Lists the assignments of the caller's organization: the pending ones, unless a filter is about their status. */
export async function listAssignments(
  work: Pick<Work, 'trx'>,
  caller: OrganizationCaller,
  page: PageRequest,
  options: AssignmentOptions = {},
): Promise<PageResult<Assignment>> {
  const source = createAssignmentSource(work, caller, page, options)
  return mapPageResult(await listPage(source, page, assignmentColumns), presentAssignment)
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
export function readAllAssignments(
  work: Pick<Work, 'trx'>,
  caller: OrganizationCaller,
  page: PageRequest,
  options: AssignmentOptions = {},
): AsyncGenerator<Assignment[]> {
  const source = withoutTotal(createAssignmentSource(work, caller, page, options))
  return readAllPages({ ...page, pageSize: maxBatchSize }, async (request) =>
    mapPageResult(await listPage(source, request, assignmentColumns), presentAssignment),
  )
}
