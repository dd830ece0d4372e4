import { getOnlyOperation, type TokenAct } from './act.ts'
import { getTokenId } from './operation.ts'

/** Mints one token straight to the person who claims it. */
export const mintTo: TokenAct = {
  kind: 'mintTo',
  taker: 'tokens',
  transactionKind: 'mint',
  isBatched: false,
  hasReceiver: true,
  isMint: true,
  needsConsent: false,
  createChainAct(operations, { contract, minted }) {
    if (minted) return 'The token was minted before.'
    const operation = getOnlyOperation(operations)
    return { kind: 'mint', contract, to: operation.recipient ?? '', tokenId: getTokenId(operation) }
  },
  getOwners: ({ recipient }) => ({ from: null, owner: recipient }),
}
