import { getOnlyOperation, type TokenAct } from './act.ts'
import { getTokenId } from './operation.ts'

/** Moves a token that was minted in a batch from its issuer to the person who claims it. */
export const transferTo: TokenAct = {
  kind: 'transferTo',
  taker: 'tokens',
  transactionKind: 'transfer',
  isBatched: false,
  hasReceiver: true,
  isMint: false,
  needsConsent: false,
  createChainAct(operations, { contract, batch, position }) {
    if (batch === null || position === null) return 'The token is not held by its issuer.'
    const operation = getOnlyOperation(operations)
    const to = operation.recipient ?? ''
    return { kind: 'transfer', contract, to, tokenId: getTokenId(operation), batch, index: position }
  },
  getOwners: ({ recipient }, issuer, previousOwner) => ({ from: previousOwner ?? issuer, owner: recipient }),
}
