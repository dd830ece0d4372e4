import type { ServiceAccountFile } from './oauth.ts'

export type Json = Record<string, unknown>

export interface StoredMessage extends Json {
  id?: string
  header?: string
  body?: string
  messageType?: string
}

/** A notification that phones showed. */
export interface ShownNotice {
  object: string
  /** The message, or null for a change that notified. */
  message: StoredMessage | null
  at: Date
}

export interface GoogleRequestRecord {
  method: string
  path: string
  body: unknown
}

/** What becomes of the next requests: an error before anything was done, or a lost answer after it was. */
export type Failure = 'down' | 'lost' | 'stuck' | 'redirect' | 'huge' | 'broken' | 'refused'

/** The state of the issuer's account. Tests change it as its owner or Google does. */
export interface GoogleState {
  issuerId: string
  serviceAccount: ServiceAccountFile
  classes: Map<string, Json>
  objects: Map<string, Json & { messages: StoredMessage[]; hasUsers: boolean }>
  requests: GoogleRequestRecord[]
  /** Why it refused requests. */
  refusals: string[]
  notices: ShownNotice[]
  failures: Failure[]
  /** Tokens that are good, with the time when each ends. */
  tokens: Map<string, number>
  /** How many tokens were given out. */
  tokenCount: number
  tokenSeconds: number
  /** What the next requests for tokens get. */
  tokenFailures: ('down' | 'refused')[]
  /** The most requests within a second. Source: Google Wallet, FAQ. */
  requestsPerSecond: number
  /** The time by which notifications are counted; tests move it. */
  now(): Date
  advance(ms: number): void
}
