import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createSingleDryRun, formatCount, type DryRun } from '../../../kernel/dry-run.ts'
import { BadGatewayError } from '../../../kernel/unavailable.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import { eraseAccount, eraseWalletKey } from '../../accounts/index.ts'
import { readAccount } from './accounts.reads.ts'
import type { Account } from './accounts.schema.ts'

/** Tells what the deletion of an account would do. */
export function previewDeletion({ id, address, user, loyalty, dpp }: Account): DryRun {
  const { optimisticBalance } = loyalty
  const warnings = ['The person loses the account, its sessions and the keys of its wallet for good.']
  if (optimisticBalance !== '0') warnings.push(`Nobody can spend its ${optimisticBalance} points any more.`)
  if (dpp.passportCount > 0)
    warnings.push(`${formatCount(dpp.passportCount, 'passport')} of its wallet can never be handed on.`)
  return createSingleDryRun({ id, name: user.name ?? user.email ?? user.phoneNumber ?? address }, warnings)
}

/**
 * Erases the keys of an account's wallet, before anything else of it, outside any transaction. If the answer is lost, the
 * deletion can be repeated.
 * @throws BadGatewayError if the signer does not answer
 */
export async function eraseKey(context: Context, account: Account): Promise<void> {
  try {
    await eraseWalletKey(context, account)
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== 'SignerUnreachableError') throw cause
    throw new BadGatewayError('The signer does not answer, so nothing was deleted. Try again shortly.', { cause })
  }
}

/** Deletes an account whose keys are erased. @returns the account as it was @throws NOT_FOUND; PRECONDITION_FAILED */
export async function deleteAccount(
  work: Work,
  caller: OrganizationCaller,
  { id, precondition }: { id: string; precondition: (representation: unknown) => void },
): Promise<Account> {
  const account = await readAccount(work, caller, id)
  precondition(account)
  await eraseAccount(work.trx, work.context, caller.organization, id)
  return account
}
