import { createForbiddenError } from './refusal.ts'
import type { Evidence } from './evidence.ts'
import type { IntentAct } from './intents.ts'
import type { RecordedContract, RecordedOperation } from './tables.ts'

type PostAct = IntentAct & { kind: 'postPoints' }
type PointsContract = (IntentAct & { kind: 'deploy' })['contract'] & { kind: 'points' }

/** Lists the parts of an act as texts, one for each operation. */
export const listPointsParts = ({ operations, accounts, amounts }: PostAct): string[] =>
  operations.map((operation, index) => `postPoints ${operation} ${accounts[index]} ${amounts[index]}`)

/** Returns the text of an operation, in the same form as `listPointsParts`. */
export const getPointsPart = ({ id, recipient, content }: RecordedOperation): string =>
  `postPoints ${id} ${recipient} ${content?.['amount']}`

/** Throws unless each address is the wallet of an account of this signer. */
export async function assertPointsAccounts(evidence: Evidence, { accounts }: PostAct): Promise<void> {
  const addresses = [...new Set(accounts)]
  const wallets = await evidence.listWallets(addresses)
  const known = new Set(wallets.filter(({ account }) => account.startsWith('account:')).map(({ address }) => address))
  if (addresses.every((address) => known.has(address))) return
  throw createForbiddenError('RECIPIENT', 'The receiver is not a wallet of an account.')
}

/** Returns whether a requested contract is the one to deploy. */
export const isSamePointsContract = (row: RecordedContract, wanted: PointsContract): boolean =>
  row.application === wanted.application && row.name === wanted.name && row.symbol === wanted.symbol
