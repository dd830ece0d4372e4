import type { TokenAct } from './act.ts'
import { getTokenId } from './operation.ts'

/** Mints the tokens of an application in batches. They belong to the application's issuer. */
export const mintToIssuer: TokenAct = {
  kind: 'mintToIssuer',
  taker: 'tokens',
  transactionKind: 'mintBatch',
  isBatched: true,
  hasReceiver: false,
  isMint: true,
  needsConsent: false,
  createChainAct(operations, { contract, issuer }) {
    if (issuer === null) throw new Error('a contract of passports has no issuer')
    return { kind: 'mintBatch', contract, issuer, tokenIds: operations.map(getTokenId) }
  },
  getOwners: (_, issuer) => ({ from: null, owner: issuer }),
}
