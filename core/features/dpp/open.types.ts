import type { Verdict } from '../certification/index.ts'

/** One check of a verification. */
export interface Check {
  check: 'proof' | 'issuer' | 'key' | 'status' | 'validity' | 'anchor' | 'schema'
  /** Null where it cannot be judged: a host is out of reach, a kind of key or proof is not known here. */
  ok: boolean | null
  /** What was found, in a sentence for people. */
  detail: string
}

/** What verifying a credential came to. `schema` is told and does not count. */
export interface Verification {
  /** Null where nothing fails and something cannot be judged. */
  verified: boolean | null
  verdict: Verdict
  /** Whether a newer version of the passport's credential is served, and its address. */
  superseded: boolean
  newer: string | null
  checks: Check[]
}

/** Something that a passport lacks, or has wrong. */
export interface Finding {
  /** Stable, in snake case, as `gtin_check_digit`. */
  code: string
  severity: 'error' | 'warning' | 'info'
  /** Dotted, as `product.gtin`. */
  path: string
  message: string
  /** The rule it rests on, with its source, as `GS1 General Specifications 7.9`. */
  rule: string
  /** What to do about it. */
  fix: string
}

/** Ready where no finding is an error. */
export interface Readiness { ready: boolean; findings: Finding[] }
