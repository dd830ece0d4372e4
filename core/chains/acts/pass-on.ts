import { createHash } from 'node:crypto'
import { getOnlyOperation, type TokenAct } from './act.ts'
import { getTokenId } from './operation.ts'

/** Returns the word by which a chain knows an operation, so that it is done at most once. */
export const hashOperation = (id: string): string => `0x${createHash('sha256').update(id).digest('hex')}`

/** Moves one token from the wallet of a person, who agrees to it, to the wallet of another person. */
export const passOn: TokenAct = {
  kind: 'passOn',
  taker: 'tokens',
  transactionKind: 'passOn',
  isBatched: false,
  hasReceiver: true,
  isMint: false,
  needsConsent: true,
  createChainAct(operations, { contract, minted, handovers }) {
    if (!minted) return 'The token is not minted.'
    if (handovers === null) throw new Error('a token is passed on without the contract for it')
    const operation = getOnlyOperation(operations)
    const { id, recipient, content } = operation
    return {
      kind: 'passOn',
      contract,
      handovers,
      from: content?.from ?? '',
      to: recipient ?? '',
      tokenId: getTokenId(operation),
      operation: hashOperation(id),
      until: Math.floor(Date.parse(content?.until ?? '') / 1_000),
    }
  },
  getOwners: ({ recipient, content }) => ({ from: content?.from ?? null, owner: recipient }),
}
