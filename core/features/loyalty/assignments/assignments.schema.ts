import { networkNames } from '../../../chains/networks.ts'
import {
  commonFilters,
  commonSorters,
  createListSchema,
  enumFilter,
  textFilter,
  uuidFilter,
  type ListDeclaration,
} from '../../../kernel/page.ts'
import {
  Type,
  boolean,
  instant,
  nullable,
  object,
  oneOf,
  optional,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { pointsText } from '../amounts/index.ts'
import { assignmentStates } from './assignments.machine.ts'

/**
 * Points of an assignment in a request. They stay below 10^17, so that an account can hold those of two assignments and
 * a welcome bonus: a sign-in must never be refused because of what it gives.
 */
const AssignedPoints = Type.Union(
  [Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.String({ pattern: '^(0|[1-9][0-9]{0,16})$' })],
  { description: 'Points, a whole number or its digits; 0 only with a tier.' },
)

const emailText = string('E-mail address; its case plays no part.', {
  format: 'email',
  maxLength: 254,
  examples: ['ada@example.com'],
})
const phoneText = string('Phone number with its country code.', {
  minLength: 5,
  maxLength: 40,
  examples: ['+393331234567'],
})

export const Assignment = object(
  {
    id: uuid('Identifier of the assignment.'),
    application: uuid('Its application.'),
    network: oneOf(networkNames, 'Network of the account.'),
    email: optional(string('In small letters.')),
    phoneNumber: optional(string('In E.164 form.')),
    optimisticBalance: pointsText('Points that the account gets.'),
    rewardTier: optional(uuid('Tier that the account gets.')),
    status: oneOf(assignmentStates, 'Whether an account got it.'),
    createdAt: instant('When it was created.'),
    updatedAt: instant('When it last changed.'),
  },
  { title: 'AccountAssignment', description: 'Points and tier for a person without an account.' },
)
export type Assignment = Static<typeof Assignment>

export const AssignmentList = createListSchema(Assignment, 'AccountAssignmentList')

export const NewAssignment = object(
  {
    application: uuid('Its application.'),
    network: optional(oneOf(networkNames, 'Network; else that of the application.')),
    email: optional(emailText),
    phoneNumber: optional(phoneText),
    optimisticBalance: AssignedPoints,
    rewardTier: optional(uuid('Tier to give.')),
    upsert: optional(boolean('Add to a pending one, replace its tier.')),
  },
  { title: 'NewAccountAssignment', description: 'An assignment, by e-mail, phone or both.' },
)
export type NewAssignment = Static<typeof NewAssignment>

export const AssignmentPatch = object(
  {
    optimisticBalance: optional(AssignedPoints),
    rewardTier: optional(nullable(uuid('Tier to give; null: none.'))),
  },
  { title: 'AccountAssignmentPatch', description: 'Changes of an assignment.' },
)
export type AssignmentPatch = Static<typeof AssignmentPatch>

export const assignmentList: ListDeclaration = {
  rowSchema: Assignment,
  filters: {
    ...commonFilters,
    'application.id': uuidFilter('eq'),
    status: enumFilter(assignmentStates, 'eq'),
    email: { ...textFilter('eq', 'contains'), insensitive: true },
    phoneNumber: textFilter('eq', 'contains'),
  },
  sorters: commonSorters,
}

export const assignmentListQuery = {
  network: optional(oneOf(networkNames, 'Only those on this network.')),
}
