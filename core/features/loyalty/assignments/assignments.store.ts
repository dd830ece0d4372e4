import type { Knex } from 'knex'
import type { Network } from '../../../chains/networks.ts'
import type { Contacts } from '../../accounts/index.ts'
import type { OrganizationErasure } from '../../area.ts'
import { assignmentStatus } from './assignments.machine.ts'
import { AssignmentModel } from './assignments.model.ts'

/** Where people have assignments. */
export interface AssignmentPlace {
  application: string
  network: Network
}

/** What an assignment is for, and what it gives. */
export type AssignmentContent = Pick<AssignmentModel, 'email' | 'phoneNumber' | 'points' | 'rewardTier'>

/** An assignment that is stored, or that is to be. */
export type KnownAssignment = AssignmentContent & { id: string }

const pendingStates = assignmentStatus.moves.consume.from as string[]

/** Inserts assignments, which are pending. */
export async function insertAssignments(
  trx: Knex,
  { organization, application, network }: AssignmentPlace & { organization: string },
  assignments: readonly KnownAssignment[],
): Promise<void> {
  if (assignments.length === 0) return
  await trx.raw(
    `insert into account_assignments (id, organization, application, network, email, phone_number, points, reward_tier, status)
     select id, ?, ?, ?, email, phone_number, points, reward_tier, ?
     from unnest(?::uuid[], ?::text[], ?::text[], ?::numeric[], ?::uuid[]) as given (id, email, phone_number, points, reward_tier)`,
    [
      organization,
      application,
      network,
      assignmentStatus.moves.create.to,
      ...toColumns(assignments),
    ] as Knex.RawBinding[],
  )
}

const toColumns = (assignments: readonly KnownAssignment[]) => [
  assignments.map(({ id }) => id),
  assignments.map(({ email }) => email),
  assignments.map(({ phoneNumber }) => phoneNumber),
  assignments.map(({ points }) => points),
  assignments.map(({ rewardTier }) => rewardTier),
]

/** Changes what pending assignments are for or give. They are locked. */
export async function updateAssignments(trx: Knex, assignments: readonly KnownAssignment[]): Promise<void> {
  if (assignments.length === 0) return
  await trx.raw(
    `update account_assignments set email = given.email, phone_number = given.phone_number, points = given.points,
       reward_tier = given.reward_tier, updated_at = now()
     from unnest(?::uuid[], ?::text[], ?::text[], ?::numeric[], ?::uuid[]) as given (id, email, phone_number, points, reward_tier)
     where account_assignments.id = given.id`,
    toColumns(assignments) as Knex.RawBinding[],
  )
}

/** Finds the assignments of people by any of their contacts, in the order of their ids. */
function queryByContacts(trx: Knex, { application, network }: AssignmentPlace, contacts: readonly Contacts[]) {
  const emails = contacts.flatMap(({ email }) => email ?? [])
  const phoneNumbers = contacts.flatMap(({ phoneNumber }) => phoneNumber ?? [])
  return AssignmentModel.query(trx)
    .where({ application, network })
    .whereRaw('(email = any(?::text[]) or phone_number = any(?::text[]))', [emails, phoneNumbers] as Knex.RawBinding[])
    .orderBy('id')
}

/** Locks the pending assignments for any of the contacts, in the order of their ids. */
export const lockPending = async (
  trx: Knex,
  place: AssignmentPlace,
  contacts: readonly Contacts[],
): Promise<AssignmentModel[]> => queryByContacts(trx, place, contacts).whereIn('status', pendingStates).forUpdate()

/** Finds the pending assignments for any of the contacts, in the order of their ids. */
export const findPending = async (
  db: Knex,
  place: AssignmentPlace,
  contacts: readonly Contacts[],
): Promise<AssignmentModel[]> => queryByContacts(db, place, contacts).whereIn('status', pendingStates)

/** Finds the assignments of accounts. */
export const findConsumed = async (db: Knex, accounts: readonly string[]): Promise<AssignmentModel[]> =>
  accounts.length === 0 ? [] : AssignmentModel.query(db).whereIn('account', [...accounts])

/** Locks an assignment of an organization, or returns undefined if there is none. */
export async function lockAssignment(
  trx: Knex,
  organization: string,
  id: string,
): Promise<AssignmentModel | undefined> {
  return AssignmentModel.query(trx).findById(id).modify('ofOrganization', organization).forUpdate()
}

/** Writes down which accounts got pending assignments, which are locked. */
export async function consumeAssignments(
  trx: Knex,
  consumed: readonly { id: string; account: string }[],
): Promise<void> {
  if (consumed.length === 0) return
  await trx.raw(
    `update account_assignments set ${assignmentStatus.set('consume')}, account = given.account, updated_at = now()
     from unnest(?::uuid[], ?::uuid[]) as given (id, account) where account_assignments.id = given.id`,
    [consumed.map(({ id }) => id), consumed.map(({ account }) => account)],
  )
}

/** Deletes an assignment, whatever became of it. */
export async function deleteAssignment(trx: Knex, id: string): Promise<void> {
  await AssignmentModel.query(trx).deleteById(id)
}

/** Deletes the assignments that an account got: they have the contacts of its person. */
export async function deleteConsumed(trx: Knex, account: string): Promise<void> {
  await AssignmentModel.query(trx).where({ account }).delete()
}

/** Deletes assignments of a deleted organization, whatever became of them, at most `limit`. @returns how many */
export const eraseAssignments: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep(async (trx) =>
    AssignmentModel.query(trx)
      .whereIn('id', AssignmentModel.query(trx).modify('ofOrganization', organization).limit(limit).select('id'))
      .delete(),
  )

/** Counts the pending assignments of an application. */
export async function countPending(db: Knex, application: string): Promise<number> {
  return AssignmentModel.query(db).where({ application, status: assignmentStatus.moves.create.to }).resultSize()
}

export async function readAssignment(db: Knex, id: string): Promise<AssignmentModel> {
  return AssignmentModel.query(db).findById(id).throwIfNotFound()
}
