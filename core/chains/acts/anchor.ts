import { wordPattern, type RecordAct } from './act.ts'

/** Writes Merkle roots of certificates on a chain. Roots of all organizations go together. */
export const anchor: RecordAct<'anchor'> = {
  kind: 'anchor',
  taker: 'records',
  transactionKind: 'anchor',
  contract: 'anchors',
  isBatched: true,
  isExclusive: false,
  isWellFormed: ({ root }) => wordPattern.test(root),
  toContent: ({ root }) => ({ root }),
  createChainAct: (operations, contract) => ({
    kind: 'anchor',
    contract,
    roots: operations.map(({ content }) => content.root),
  }),
  getRoot: ({ content }) => content.root,
}
