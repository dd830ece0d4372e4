import { hashOperation } from '../acts/pass-on.ts'
import type { Evidence } from './evidence.ts'
import type { IntentAct } from './intents.ts'
import { createForbiddenError } from './refusal.ts'
import type { RecordedOperation } from './tables.ts'

type PassOnIntent = IntentAct & { kind: 'passOn' }

/**
 * Throws unless a token goes from the wallet of an account of this signer to that of another one, and the first runs no
 * code but what this signer deployed for that. That the wallet has the token its contract checks.
 * @throws SigningRefusedError
 */
export async function assertHandover(
  evidence: Evidence,
  network: string,
  { from, to, delegation }: PassOnIntent,
): Promise<void> {
  const wallets = await evidence.listWallets([from, to])
  const isAccount = (address: string) =>
    wallets.some((wallet) => wallet.address === address && wallet.account.startsWith('account:'))
  if (!isAccount(from) || !isAccount(to) || from === to)
    throw createForbiddenError('RECIPIENT', 'A token goes from the wallet of an account to that of another one.')
  if (delegation === null) return
  const deployments = await evidence.listDeployments(network, delegation.contract)
  if (!deployments.some(({ kind }) => kind === 'handovers'))
    throw createForbiddenError('CONTRACT', 'A wallet runs no code but what this signer deployed for it.')
}

/**
 * Finds the wallet that has to sign that its token is passed on.
 * @throws SigningRefusedError
 */
export async function findConsentingWallet(evidence: Evidence, { from }: PassOnIntent): Promise<string> {
  const wallets = await evidence.listWallets([from])
  const wallet = wallets.find(({ account }) => account.startsWith('account:'))
  if (!wallet) throw createForbiddenError('RECIPIENT', 'The owner is not a wallet of an account.')
  return wallet.account
}

/** Returns the text of what is asked for, with everything that the operation decides. */
export const getHandoverPart = ({ tokenId, from, to, operation, until }: Omit<PassOnIntent, 'contract'>): string =>
  `passOn ${tokenId} ${from} ${to} ${operation} ${until}`

/** Returns the text of an operation, in the same form. */
export const getHandoverPartOf = ({ id, token, recipient, content }: RecordedOperation): string =>
  `passOn ${token} ${content?.['from']} ${recipient} ${hashOperation(id)} ${Math.floor(Date.parse(content?.['until'] ?? '') / 1_000)}`
