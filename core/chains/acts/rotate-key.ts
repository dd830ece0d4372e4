import { getOnlyOperation, wordPattern, type RecordAct } from './act.ts'

/** Puts a certification key of an organization in the place of the one before. */
export const rotateKey: RecordAct<'rotateKey'> = {
  kind: 'rotateKey',
  taker: 'records',
  transactionKind: 'rotateKey',
  contract: 'keys',
  isBatched: false,
  isExclusive: true,
  // No key follows itself.
  isWellFormed: ({ key, previous }) => wordPattern.test(key) && wordPattern.test(previous) && key !== previous,
  toContent: ({ key, previous }) => ({ key, previous }),
  createChainAct(operations, contract) {
    const { organization, content } = getOnlyOperation(operations)
    return { kind: 'rotateKey', contract, organization, ...content }
  },
}
