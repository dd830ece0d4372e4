import { getOnlyOperation, wordPattern, type RecordAct } from './act.ts'

/** Registers a certification key of an organization. */
export const registerKey: RecordAct<'registerKey'> = {
  kind: 'registerKey',
  taker: 'records',
  transactionKind: 'registerKey',
  contract: 'keys',
  isBatched: false,
  isExclusive: true,
  isWellFormed: ({ key }) => wordPattern.test(key),
  toContent: ({ key }) => ({ key }),
  createChainAct(operations, contract) {
    const { organization, content } = getOnlyOperation(operations)
    return { kind: 'registerKey', contract, organization, key: content.key }
  },
}
