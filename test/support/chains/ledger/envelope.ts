import { createHash } from 'node:crypto'
import type { SignedTransaction } from '../../../../core/chains/family.ts'
import { signBytes, toAccount } from './keys.ts'

/** What a transaction does, in this order and as a whole. Tokens are `0x` and 64 hex digits. */
export type LedgerOperation =
  | { kind: 'open'; account: string }
  | { kind: 'issue'; issuer: string; token: string; to: string }
  | { kind: 'move'; issuer: string; token: string; to: string }

export interface LedgerContent {
  operations: LedgerOperation[]
  /** Hexadecimal digits. */
  memo: string
}

/** A transaction of an account. It is applied only after the one with the number before, and not after `expiresAt`. */
export interface LedgerTransaction extends LedgerContent {
  source: string
  sequence: number
  /** Milliseconds since 1970. */
  expiresAt: number
}

/** The name of the network is part of what is signed, so that no other network takes the bytes. */
const ledgerName = 'ledger of the tests'

export function signTransaction(wallet: string, transaction: Omit<LedgerTransaction, 'source'>): SignedTransaction {
  const { sequence, expiresAt, memo, operations } = transaction
  const text = JSON.stringify({ source: toAccount(wallet), sequence, expiresAt, memo, operations })
  const bytes = Buffer.from(`${ledgerName}\n${text}`)
  const hash = createHash('sha256').update(bytes).digest('hex')
  return { hash, raw: Buffer.from(JSON.stringify({ text, signature: signBytes(wallet, bytes) })) }
}

export function computeHash(raw: Uint8Array): string {
  const { text } = JSON.parse(Buffer.from(raw).toString()) as { text: string }
  return createHash('sha256').update(`${ledgerName}\n${text}`).digest('hex')
}

/** Parses bytes that `signTransaction` made. */
export function parseTransaction(raw: Uint8Array): LedgerTransaction {
  const { text } = JSON.parse(Buffer.from(raw).toString()) as { text: string }
  return JSON.parse(text) as LedgerTransaction
}
