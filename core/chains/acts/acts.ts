import type { SharedContract } from '../family.ts'
import type { ChainRecordKind, PointsOperationKind, TokenOperationKind } from '../port.ts'
import type { PointsAct, RecordAct, TokenAct } from './act.ts'
import { anchor } from './anchor.ts'
import { mintTo } from './mint-to.ts'
import { mintToIssuer } from './mint-to-issuer.ts'
import type { ChainOperation, PointsOperation, RecordOperation, TokenOperation } from './operation.ts'
import { passOn } from './pass-on.ts'
import { postPoints } from './post-points.ts'
import { registerKey } from './register-key.ts'
import { revokeKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'
import { transferTo } from './transfer-to.ts'

/** All acts that operations ask for, by the kind of operation. */
const tokenActs: Readonly<Record<TokenOperationKind, TokenAct>> = { mintToIssuer, mintTo, transferTo, passOn }
const recordActs: { readonly [K in ChainRecordKind]: RecordAct<K> } = { anchor, registerKey, rotateKey, revokeKey }

const pointsActs: Readonly<Record<PointsOperationKind, PointsAct>> = { postPoints }

export const listedTokenActs: readonly TokenAct[] = Object.values(tokenActs)
export const listedRecordActs: readonly RecordAct[] = Object.values(recordActs)
export const listedPointsActs: readonly PointsAct[] = Object.values(pointsActs)

const acts: Readonly<Record<ChainOperation['kind'], TokenAct | RecordAct | PointsAct>> = {
  ...tokenActs,
  ...recordActs,
  ...pointsActs,
}

export const getTokenAct = (kind: TokenOperationKind): TokenAct => tokenActs[kind]
export const getRecordAct = (kind: ChainRecordKind): RecordAct => recordActs[kind]
export const getPointsAct = (kind: PointsOperationKind): PointsAct => pointsActs[kind]

/** Returns whether the outcome of an operation goes to the handler of tokens: the operation has a token. */
export function isTokenOperation<T extends ChainOperation>(operation: T): operation is Extract<T, TokenOperation> {
  return acts[operation.kind].taker === 'tokens'
}

/** Returns whether the outcome of an operation goes to the handler of records. */
export function isRecordOperation<T extends ChainOperation>(operation: T): operation is Extract<T, RecordOperation> {
  return acts[operation.kind].taker === 'records'
}

/** Returns whether the outcome of an operation goes to the handler of points. */
export function isPointsOperation<T extends ChainOperation>(operation: T): operation is Extract<T, PointsOperation> {
  return acts[operation.kind].taker === 'points'
}

/** Returns whether transactions of a kind belong to acts that are settled many at once, because each has one token. */
export const isSingleTokenKind = (transactionKind: string): boolean =>
  listedTokenActs.some((act) => !act.isBatched && act.transactionKind === transactionKind)

/** Returns whether transactions of a kind move a token that its owner's wallet has signed away. */
export const isConsentedKind = (transactionKind: string): boolean =>
  listedTokenActs.some((act) => act.needsConsent && act.transactionKind === transactionKind)

/** Returns whether transactions of a kind write roots. */
export const hasRoots = (transactionKind: string): boolean =>
  listedRecordActs.some((act) => act.getRoot !== undefined && act.transactionKind === transactionKind)

/** Lists the contracts that all organizations of a network share. */
export const sharedContracts: readonly SharedContract[] = [...new Set(listedRecordActs.map(({ contract }) => contract))]
