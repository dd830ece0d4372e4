import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { findAccountsByContacts, type AccountRow } from '../../accounts/index.ts'
import {
  findConsumed,
  findPending,
  insertAssignments,
  lockPending,
  updateAssignments,
  type AssignmentContent,
  type AssignmentPlace,
  type KnownAssignment,
} from './assignments.store.ts'
import { consume, type Consumption } from './consume.ts'
import { assertSingle, createExistingProblem, findSame, mergeContents } from './gifts.ts'
import { KnownPeople, type SeenContacts } from './known-people.ts'

/**
 * What becomes of a person who has an assignment already: `add` adds to a pending one, `refuse` refuses beside a pending
 * one, and `skip` leaves out also who got one before, so that the same file can be sent again.
 */
export type DuplicateRule = 'add' | 'refuse' | 'skip'

/** What became of what somebody was to be given. */
export type GivingOutcome =
  /** `isGiven`: whether an account has it already. */
  | { status: 'created' | 'updated'; id: string; isGiven: boolean }
  | { status: 'skipped' }
  | { status: 'refused'; problem: ProblemError }

interface GivingOptions extends AssignmentPlace {
  organization: string
  rule: DuplicateRule
  /** Of a dry run, which locks and stores nothing: the contacts of its earlier rows. */
  seen?: SeenContacts
}

/**
 * Gives people points and tiers in one place: with an assignment that waits for them, or at once if they have an account.
 * The number of statements does not depend on the number of people. Their contacts are locked.
 * @returns one outcome a person, in their order
 */
export async function giveAll(
  trx: Knex,
  context: Context,
  options: GivingOptions,
  gifts: readonly AssignmentContent[],
): Promise<GivingOutcome[]> {
  const people = await findPeople(trx, options, gifts)
  const giving = new Giving(people)
  const outcomes = gifts.map((gift) => giving.give(gift, options))
  if (options.seen) return outcomes
  await insertAssignments(trx, options, giving.created)
  await updateAssignments(trx, giving.updated)
  if (giving.consumptions.length > 0) await consume(trx, context, giving.consumptions)
  return outcomes
}

async function findPeople(
  trx: Knex,
  { rule, seen, ...place }: GivingOptions,
  gifts: readonly AssignmentContent[],
): Promise<KnownPeople> {
  const pending = await (seen ? findPending : lockPending)(trx, place, gifts)
  const accounts = await findAccountsByContacts(trx, place, { contacts: [...gifts, ...pending], isHeld: !seen })
  const given =
    rule === 'skip'
      ? await findConsumed(
          trx,
          accounts.map(({ id }) => id),
        )
      : []
  return new KnownPeople({ pending, accounts, given, seen })
}

/** Decides about one person after the other, and collects what has to be stored. */
class Giving {
  readonly #people: KnownPeople
  readonly #created = new Map<string, KnownAssignment>()
  readonly #updated = new Map<string, KnownAssignment>()
  readonly #consumed = new Map<AccountRow, KnownAssignment[]>()

  constructor(people: KnownPeople) {
    this.#people = people
  }

  give(gift: AssignmentContent, { rule }: Pick<GivingOptions, 'rule'>): GivingOutcome {
    try {
      return this.#decide(gift, rule)
    } catch (problem) {
      if (problem instanceof ProblemError) return { status: 'refused', problem }
      throw problem
    }
  }

  #decide(gift: AssignmentContent, rule: DuplicateRule): GivingOutcome {
    if (this.#people.wasSeen(gift)) return decideSeen(rule)
    const pending = this.#people.findPending(gift)
    if (rule === 'skip' && pending.length < 2 && (pending.length === 1 || this.#people.hasSomething(gift)))
      return { status: 'skipped' }
    const before = assertSingle(pending, rule === 'add')
    const content = before ? mergeContents(before, gift) : gift
    const account = findSame(this.#people.findAccounts(content))
    const assignment: KnownAssignment = { ...content, id: before?.id ?? newId() }
    const isNew = !before || this.#created.has(before.id)
    ;(isNew ? this.#created : this.#updated).set(assignment.id, assignment)
    if (account) this.#consumed.set(account, [...(this.#consumed.get(account) ?? []), assignment])
    this.#people.replace(before, assignment, account !== undefined)
    return { status: before ? 'updated' : 'created', id: assignment.id, isGiven: account !== undefined }
  }

  get created(): KnownAssignment[] {
    return [...this.#created.values()]
  }

  get updated(): KnownAssignment[] {
    return [...this.#updated.values()]
  }

  get consumptions(): Consumption[] {
    return [...this.#consumed].map(([account, assignments]) => ({ account, assignments }))
  }
}

/** Decides about a person for whom an earlier row of a dry run would have left a pending assignment. */
function decideSeen(rule: DuplicateRule): GivingOutcome {
  if (rule === 'refuse') throw createExistingProblem([], 'An earlier row is for the same person.')
  return rule === 'skip' ? { status: 'skipped' } : { status: 'updated', id: '', isGiven: false }
}
