import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import {
  assertClaimable,
  findDeletionProblem,
  findWriteProblem,
  hasActiveClaim,
  type Passport,
  type PassportRow,
  passportStatus,
  presentPassport,
  readOwnShownPassport,
  readWithdrawals,
  type Withdrawal,
} from '../passports/index.ts'
import { hasListedCredential } from '../statuses/index.ts'

/** What can be done with a passport. */
export const passportActs = [
  'edit',
  'publish',
  'certify',
  'link',
  'suspend',
  'restore',
  'revoke',
  'archive',
  'delete',
] as const
export type PassportAct = (typeof passportActs)[number]

/** A passport of an organization, with the acts that its state allows, whoever asks for them. */
export interface PassportState {
  passport: Passport
  acts: ReadonlySet<PassportAct>
  /** Revocations and suspensions of the passport, of its batch and of its model. */
  withdrawals: readonly Withdrawal[]
}

/**
 * Reads a passport of the caller's organization in full, and which acts its state allows. The operations decide again
 * when they are called.
 * @throws NOT_FOUND
 */
export async function readPassportState(work: Work, caller: OrganizationCaller, id: string): Promise<PassportState> {
  const { trx } = work
  const row = await readOwnShownPassport(work, caller, id)
  const [withdrawn, isClaimed, hasCredential, isClaimable] = await Promise.all([
    readWithdrawals(trx, [id]),
    hasActiveClaim(trx, id),
    hasListedCredential(trx, id),
    canBeClaimed(work, row),
  ])
  const withdrawals = withdrawn.get(id) ?? []
  const own = withdrawals.filter(({ level }) => level === 'own').map(({ purpose }) => purpose)
  const isRevoked = own.includes('revocation')
  const isSuspended = own.includes('suspension')
  const isWritable = findWriteProblem(row) === null
  const isPublished = row.status === 'published' || row.status === 'claimed'
  const allowed: Record<PassportAct, boolean> = {
    edit: isWritable && row.status !== 'archived',
    publish: passportStatus.canMove('publish', row.status),
    certify: isPublished && !isRevoked && row.certificationStatus !== 'pending',
    link: isClaimable,
    suspend: hasCredential && !isRevoked && !isSuspended,
    restore: hasCredential && !isRevoked && isSuspended,
    revoke: hasCredential && !isRevoked,
    archive: isWritable && passportStatus.canMove('archive', row.status),
    delete: isWritable && findDeletionProblem(row, isClaimed) === null,
  }
  return {
    passport: presentPassport(row, 'owner'),
    acts: new Set(passportActs.filter((act) => allowed[act])),
    withdrawals,
  }
}

async function canBeClaimed({ trx }: Work, row: PassportRow): Promise<boolean> {
  try {
    await assertClaimable(trx, row)
    return true
  } catch (cause) {
    if (cause instanceof ProblemError) return false
    throw cause
  }
}
