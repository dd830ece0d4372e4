import { answerJson } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { changeAssignment, createAssignment, removeAssignment } from './assignments.ts'
import { listAssignments, readOwnAssignment } from './assignments.reads.ts'
import {
  Assignment,
  AssignmentList,
  assignmentList,
  assignmentListQuery,
  AssignmentPatch,
  NewAssignment,
} from './assignments.schema.ts'
import { applicationEntity } from '../../applications/index.ts'
import { assignmentEntity } from './assignments.model.ts'

const tag = 'Accounts'

const listOperation = declareOperation({
  id: 'list_account_assignments_v1',
  method: 'GET',
  path: '/v1/account-assignments',
  access: 'loyalty:read',
  scope: { list: 'application.id' },
  query: assignmentListQuery,
  list: assignmentList,
  returns: { 200: AssignmentList },
  document: {
    tag,
    summary: 'List account assignments',
    description: 'Pending ones; consumed ones with a filter of status.',
    mcpName: 'list_account_assignments',
  },
}).withReadHandler(({ caller, page, query, work }) => listAssignments(work, caller, page, query))

const createOperation = declareOperation({
  id: 'create_account_assignment_v1',
  method: 'POST',
  path: '/v1/account-assignments',
  access: 'loyalty:create',
  scope: { body: { application: applicationEntity } },
  body: NewAssignment,
  returns: { 200: Assignment, 201: Assignment },
  problemCodes: ['NOT_FOUND', 'ACCOUNT_REWARD_TIER_NOT_FOUND', 'LOYALTY_FIRST_ASSIGNMENT_EXISTING', 'QUOTA_EXCEEDED'],
  transport: { location: ({ id }: Assignment) => `/v1/account-assignments/${id}` },
  document: {
    tag,
    summary: 'Assign points to a person',
    description: 'Given at sign-up, at once to an existing account. 200: added to a pending one.',
    mcpName: 'create_account_assignment',
  },
}).withTransactionHandler(async ({ body, caller, work }) => {
  const { assignment, isNew } = await createAssignment(work, caller, body)
  return answerJson(assignment, undefined, isNew ? 201 : 200)
})

const readOperation = declareOperation({
  id: 'get_account_assignment_v1',
  method: 'GET',
  path: '/v1/account-assignments/:id',
  access: 'loyalty:read',
  scope: { params: { id: assignmentEntity } },
  returns: { 200: Assignment },
  transport: { hasEtag: true },
  document: {
    tag,
    summary: 'Read an account assignment',
    description: 'Whose it is, what it gives, and whether they have it.',
    mcpName: 'get_account_assignment',
  },
}).withReadHandler(({ caller, params, work }) => readOwnAssignment(work, caller, params.id))

const updateOperation = declareOperation({
  id: 'update_account_assignment_v1',
  method: 'PATCH',
  path: '/v1/account-assignments/:id',
  access: 'loyalty:update',
  scope: { params: { id: assignmentEntity } },
  body: AssignmentPatch,
  returns: { 200: Assignment },
  problemCodes: ['ACCOUNT_REWARD_TIER_NOT_FOUND'],
  transport: { hasEtag: true },
  document: {
    tag,
    summary: 'Change an account assignment',
    description: 'While it is pending.',
    mcpName: 'update_account_assignment',
  },
}).withTransactionHandler(({ body, caller, params, work, precondition }) =>
  changeAssignment(work, caller, { id: params.id, patch: body, precondition }),
)

const deleteOperation = declareOperation({
  id: 'delete_account_assignment_v1',
  method: 'DELETE',
  path: '/v1/account-assignments/:id',
  access: 'loyalty:delete',
  scope: { params: { id: assignmentEntity } },
  returns: { 200: Assignment },
  transport: { hasEtag: true },
  document: {
    tag,
    summary: 'Delete an account assignment',
    description: 'What an account got stays.',
    mcpName: 'delete_account_assignment',
    needsConfirmation: true,
  },
}).withTransactionHandler(({ caller, params, work, precondition }) =>
  removeAssignment(work, caller, { id: params.id, precondition }),
)

export const assignmentOperations: Operation[] = [
  listOperation,
  createOperation,
  readOperation,
  updateOperation,
  deleteOperation,
]
