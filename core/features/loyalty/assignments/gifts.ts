import type { Network } from '../../../chains/networks.ts'
import type { Context } from '../../../kernel/work.ts'
import { createProblem, createValidationProblem, type Issue, type ProblemError } from '../../../kernel/problem.ts'
import type { AccountRow, Contacts } from '../../accounts/index.ts'
import type { NewAssignment } from './assignments.schema.ts'
import type { AssignmentContent, KnownAssignment } from './assignments.store.ts'
import { parseContacts } from './contacts.ts'

/** The most points of an assignment, also after points were added. */
const maxPoints = 10n ** 17n - 1n

/**
 * Parses what a new assignment is for and gives, from a body whose form is valid.
 * @returns the content, with all that is wrong with it
 */
export async function parseGift(
  { chains }: Pick<Context, 'chains'>,
  network: Network,
  { email, phoneNumber, optimisticBalance, rewardTier: tier }: Omit<NewAssignment, 'application'>,
): Promise<{ content: AssignmentContent; issues: Issue[] }> {
  const { contacts, issues } = await parseContacts({ email, phoneNumber })
  const content = { ...contacts, points: String(optimisticBalance), rewardTier: tier ?? null }
  return { content, issues: [...issues, ...validateGift(content), ...validateWalletNetwork({ chains }, network)] }
}

/** Validates what an assignment gives: there has to be something. */
export const validateGift = ({ points, rewardTier }: Pick<AssignmentContent, 'points' | 'rewardTier'>): Issue[] =>
  points === '0' && rewardTier === null
    ? [{ path: 'optimisticBalance', code: 'min_value', message: 'must be >= 1 without a rewardTier' }]
    : []

/** Validates the network of an assignment. */
export const validateWalletNetwork = ({ chains }: Pick<Context, 'chains'>, network: Network): Issue[] =>
  chains.hasWallets(network)
    ? []
    : [
        {
          path: 'network',
          code: 'unusable_network',
          message: `is ${network}, where nobody can have a wallet here`,
        },
      ]

/**
 * Returns the pending assignment of a person, which may be added to; undefined if there is none.
 * @throws LOYALTY_FIRST_ASSIGNMENT_EXISTING if it may not, or if the contacts are those of two
 */
export function assertSingle(pending: readonly KnownAssignment[], isUpsert: boolean): KnownAssignment | undefined {
  if (pending.length > 1)
    throw createExistingProblem(pending, 'The e-mail has a pending assignment, and the phone number another one.')
  if (pending.length === 1 && !isUpsert)
    throw createExistingProblem(pending, 'The person has a pending assignment; upsert adds to it.')
  return pending[0]
}

export function createExistingProblem(pending: readonly KnownAssignment[], detail: string): ProblemError {
  const [existing, ...others] = pending.map(({ id }) => id)
  const extra = { existing, ...(others.length > 0 && { existingIds: [existing, ...others] }) }
  return createProblem('LOYALTY_FIRST_ASSIGNMENT_EXISTING', detail, { extra })
}

/**
 * Adds the points of a request to a pending assignment, with the tier and the contact that it brings.
 * @throws VALIDATION_FAILED, LOYALTY_FIRST_ASSIGNMENT_EXISTING
 */
export function mergeContents(pending: KnownAssignment, content: AssignmentContent): AssignmentContent {
  const points = BigInt(pending.points) + BigInt(content.points)
  if (points > maxPoints)
    throw createValidationProblem([
      { path: 'optimisticBalance', code: 'max_value', message: `makes more than ${maxPoints} points` },
    ])
  return {
    email: mergeContact(pending, content, 'email'),
    phoneNumber: mergeContact(pending, content, 'phoneNumber'),
    points: String(points),
    rewardTier: content.rewardTier ?? pending.rewardTier,
  }
}

/** Returns the contact of both. One that differs is somebody else's, and is never lost in silence. */
function mergeContact(pending: KnownAssignment, content: Contacts, name: keyof Contacts): string | null {
  if (pending[name] !== null && content[name] !== null && pending[name] !== content[name])
    throw createExistingProblem([pending], `The pending assignment has another ${name}.`)
  return pending[name] ?? content[name]
}

/** Returns the account of a person, or undefined if there is none. @throws VALIDATION_FAILED if there are two */
export function findSame([account, other]: readonly AccountRow[]): AccountRow | undefined {
  if (other)
    throw createValidationProblem([
      { path: 'phoneNumber', code: 'other_account', message: 'is that of another account than the e-mail' },
    ])
  return account
}
