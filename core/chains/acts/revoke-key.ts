import { getOnlyOperation, wordPattern, type RecordAct } from './act.ts'

/** Revokes a certification key of an organization, from the time of its compromise on. */
export const revokeKey: RecordAct<'revokeKey'> = {
  kind: 'revokeKey',
  taker: 'records',
  transactionKind: 'revokeKey',
  contract: 'keys',
  isBatched: false,
  isExclusive: true,
  isWellFormed: ({ key }) => wordPattern.test(key),
  toContent: ({ key, compromisedAt }) => ({ key, compromisedAt: compromisedAt?.toISOString() ?? null }),
  createChainAct(operations, contract) {
    const { organization, content } = getOnlyOperation(operations)
    const compromisedAt = content.compromisedAt === null ? null : Math.floor(Date.parse(content.compromisedAt) / 1_000)
    return { kind: 'revokeKey', contract, organization, key: content.key, compromisedAt }
  },
}
