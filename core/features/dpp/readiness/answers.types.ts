import type { Verdict } from '../../certification/index.ts'

/** One check of a verification. */
export interface Check {
  check: 'proof' | 'issuer' | 'key' | 'status' | 'validity' | 'anchor' | 'schema'
  /** Null if it cannot be decided: a host is out of reach, or a kind of key or proof is not known here. */
  ok: boolean | null
  /** The result of the check, in a sentence for people. */
  detail: string
}

/** The result of verifying a credential. The check `schema` is reported but does not count. */
export interface Verification {
  /** Null if nothing fails but something cannot be decided. */
  verified: boolean | null
  verdict: Verdict
  /** Whether a newer version of the passport's credential is served, and the address of that version. */
  superseded: boolean
  newer: string | null
  checks: Check[]
}

/** Something that is missing or wrong in a passport. */
export interface Finding {
  /** Stable, in snake case, for example `gtin_check_digit`. */
  code: string
  severity: 'error' | 'warning' | 'info'
  /** Dotted, for example `product.gtin`. */
  path: string
  message: string
  /** The broken rule with its source, for example `GS1 General Specifications 7.9`. */
  rule: string
  /** What to do about the finding, with the path of the member to send. */
  fix: string
  /** A value that meets the rule in the place of `path`; null if none does. */
  example: unknown
  /** The resource of the bridge that has the shape of the value. */
  schemaUri?: string
}

/** The readiness of a passport. It is ready if no finding is an error. */
export interface Readiness {
  ready: boolean
  findings: Finding[]
}
