import type { SharedContract } from '../family.ts'
import type { ChainRecordKind, TokenOperationKind } from '../port.ts'
import type { RecordAct, TokenAct } from './act.ts'
import { anchor } from './anchor.ts'
import { mintTo } from './mint-to.ts'
import { mintToIssuer } from './mint-to-issuer.ts'
import type { ChainOperation, RecordOperation } from './operation.ts'
import { registerKey } from './register-key.ts'
import { revokeKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'
import { transferTo } from './transfer-to.ts'

/** All acts that operations ask for, by the kind of operation. */
const tokenActs: Readonly<Record<TokenOperationKind, TokenAct>> = { mintToIssuer, mintTo, transferTo }
const recordActs: { readonly [K in ChainRecordKind]: RecordAct<K> } = { anchor, registerKey, rotateKey, revokeKey }

export const listedTokenActs: readonly TokenAct[] = Object.values(tokenActs)
export const listedRecordActs: readonly RecordAct[] = Object.values(recordActs)

const acts: Readonly<Record<TokenOperationKind | ChainRecordKind, TokenAct | RecordAct>> = {
  ...tokenActs,
  ...recordActs,
}

export const getTokenAct = (kind: TokenOperationKind): TokenAct => tokenActs[kind]
export const getRecordAct = (kind: ChainRecordKind): RecordAct => recordActs[kind]

/** Returns whether the outcome of an operation goes to the handler of records: the operation has no token. */
export function isRecordOperation<T extends ChainOperation>(operation: T): operation is Extract<T, RecordOperation> {
  return acts[operation.kind].taker === 'records'
}

/** Returns whether transactions of a kind belong to acts that are settled many at once, because each has one token. */
export const isSingleTokenKind = (transactionKind: string): boolean =>
  listedTokenActs.some((act) => !act.isBatched && act.transactionKind === transactionKind)

/** Returns whether transactions of a kind write roots. */
export const hasRoots = (transactionKind: string): boolean =>
  listedRecordActs.some((act) => act.getRoot !== undefined && act.transactionKind === transactionKind)

/** Lists the contracts that all organizations of a network share. */
export const sharedContracts: readonly SharedContract[] = [...new Set(listedRecordActs.map(({ contract }) => contract))]
