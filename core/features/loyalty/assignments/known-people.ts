import type { AccountRow, Contacts } from '../../accounts/index.ts'
import type { KnownAssignment } from './assignments.store.ts'
import { listContacts } from './contacts.ts'

/** Contacts of earlier rows of a dry run, which left nothing else: what would wait for them, and what they would have. */
export interface SeenContacts {
  pending: ReadonlySet<string>
  given: ReadonlySet<string>
}

interface KnownRows {
  /** The oldest first. */
  pending: readonly KnownAssignment[]
  accounts: readonly AccountRow[]
  /** Assignments that accounts got. */
  given: readonly { account: string | null }[]
  seen: SeenContacts | undefined
}

/** What people have in one place, by their contacts. An e-mail address is never a phone number, so one map has both. */
export class KnownPeople {
  readonly #pending = new Map<string, KnownAssignment>()
  readonly #accounts = new Map<string, AccountRow>()
  readonly #given = new Set<string>()
  readonly #seen: ReadonlySet<string>

  constructor({ pending, accounts, given, seen }: KnownRows) {
    for (const assignment of pending) this.#addPending(assignment)
    const served = new Set(given.map(({ account }) => account))
    for (const account of accounts) {
      const contacts = listContacts({ email: account.email, phoneNumber: account.phone_number })
      for (const contact of contacts) this.#accounts.set(contact, account)
      if (served.has(account.id)) for (const contact of contacts) this.#given.add(contact)
    }
    for (const contact of seen?.given ?? []) this.#given.add(contact)
    this.#seen = seen?.pending ?? new Set()
  }

  #addPending(assignment: KnownAssignment): void {
    for (const contact of listContacts(assignment)) this.#pending.set(contact, assignment)
  }

  /** Finds the pending assignments for either of the contacts, in the order of their ids. */
  findPending(contacts: Contacts): KnownAssignment[] {
    return this.#find(this.#pending, contacts)
  }

  /** Finds the accounts with either of the contacts, in the order of their ids. */
  findAccounts(contacts: Contacts): AccountRow[] {
    return this.#find(this.#accounts, contacts)
  }

  #find<T extends { id: string }>(known: ReadonlyMap<string, T>, contacts: Contacts): T[] {
    const found = new Set(listContacts(contacts).flatMap((contact) => known.get(contact) ?? []))
    return [...found].sort((one, other) => (one.id < other.id ? -1 : 1))
  }

  /** Returns whether somebody with one of the contacts got something, or would have. */
  hasSomething(contacts: Contacts): boolean {
    return listContacts(contacts).some((contact) => this.#given.has(contact))
  }

  /** Returns whether an earlier row of a dry run would have left something that waits for one of the contacts. */
  wasSeen(contacts: Contacts): boolean {
    return listContacts(contacts).some((contact) => this.#seen.has(contact))
  }

  /** Puts an assignment in the place of the one before it. @param isGiven whether an account gets it at once */
  replace(before: KnownAssignment | undefined, after: KnownAssignment, isGiven: boolean): void {
    for (const contact of before ? listContacts(before) : []) this.#pending.delete(contact)
    if (!isGiven) return this.#addPending(after)
    for (const contact of listContacts(after)) this.#given.add(contact)
  }
}
