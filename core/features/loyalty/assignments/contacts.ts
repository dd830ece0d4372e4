import type { Knex } from 'knex'
import { lockByName, shareLockByName } from '../../../database/lock.ts'
import type { Issue } from '../../../kernel/problem.ts'
import { parsePhoneNumber } from '../../../kernel/text/phone-numbers.ts'
import type { Contacts } from '../../accounts/index.ts'
import type { AssignmentPlace } from './assignments.store.ts'

/** Parses the contacts of a request. @returns the contacts, with what is wrong with them */
export async function parseContacts({
  email,
  phoneNumber,
}: {
  email?: string | undefined
  phoneNumber?: string | undefined
}): Promise<{ contacts: Contacts; issues: Issue[] }> {
  const contacts = {
    email: email?.toLowerCase() ?? null,
    phoneNumber: phoneNumber === undefined ? null : await parsePhoneNumber(phoneNumber),
  }
  const issues: Issue[] = []
  if (email === undefined && phoneNumber === undefined)
    issues.push({ path: 'email', code: 'required', message: 'or phoneNumber has to be given' })
  if (phoneNumber !== undefined && contacts.phoneNumber === null)
    issues.push({
      path: 'phoneNumber',
      code: 'format',
      message: 'is no phone number with a country code, as +393331234567',
    })
  return { contacts, issues }
}

/** Lists the contacts that there are. */
export const listContacts = ({ email, phoneNumber }: Contacts): string[] =>
  [email, phoneNumber].flatMap((contact) => contact ?? [])

/** The name of the lock on everything that is assigned in an application. */
const formatLockName = (application: string) => `assignments ${application}`

/**
 * Locks what is assigned to these contacts in an application on a network until the end of the transaction, also where
 * nothing is assigned yet. Taken before any other lock of an act on assignments, so that an account that is being created
 * and an assignment that is being written see each other.
 */
export async function lockContacts(
  trx: Knex,
  { application, network }: AssignmentPlace,
  contacts: Contacts,
): Promise<void> {
  await shareLockByName(trx, formatLockName(application))
  for (const contact of listContacts(contacts).sort())
    await lockByName(trx, `assignment ${application} ${network} ${contact}`)
}

/**
 * Locks everything that is assigned in an application until the end of the transaction, in place of the contacts of many
 * people: the database has room for some thousand locks. Accounts wait meanwhile before they are created.
 */
export const lockAllContacts = (trx: Knex, application: string): Promise<void> =>
  lockByName(trx, formatLockName(application))
