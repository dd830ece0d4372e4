import { wordPattern, type PointsAct } from './act.ts'

/** One more than the maximum of an entry, in either direction. */
const amountLimit = 10n ** 18n

/**
 * Adds entries to the points of accounts. The contract leaves out an entry that it has counted, so it does no harm to
 * perform the act again.
 */
export const postPoints: PointsAct = {
  kind: 'postPoints',
  taker: 'points',
  transactionKind: 'postPoints',
  contract: 'points',
  isWellFormed: ({ id, amount }) =>
    wordPattern.test(id) && amount !== 0n && amount < amountLimit && amount > -amountLimit,
  toContent: ({ amount }) => ({ amount: `${amount}` }),
  createChainAct: (operations, contract) => ({
    kind: 'postPoints',
    contract,
    operations: operations.map(({ id }) => id),
    accounts: operations.map(({ recipient }) => recipient),
    amounts: operations.map(({ content }) => content.amount),
  }),
}
