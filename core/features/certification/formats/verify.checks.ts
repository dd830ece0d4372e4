/** The checks of a secured credential that need the credential alone. */
export type SecuredCheck = 'proof' | 'issuer' | 'key' | 'status' | 'validity'

/** Maximum length of a detail, which may quote unchecked text. */
const maxDetailLength = 300

export const truncateDetail = (text: string): string =>
  text.length <= maxDetailLength ? text : `${text.slice(0, maxDetailLength - 1)}…`

/**
 * The reason why a check fails, as a sentence for people. Every other error is a fault of this installation and says
 * nothing about the credential.
 * `unknown` is true if the check has no result here and now, because a host is out of reach or a type of key is not
 * supported. Such an error speaks neither against the credential nor for it.
 */
export class VerificationError extends Error {
  override name = 'VerificationError'
  readonly unknown: boolean

  constructor(detail: string, { unknown = false, ...options }: ErrorOptions & { unknown?: boolean } = {}) {
    super(truncateDetail(detail), options)
    this.unknown = unknown
  }
}

/**
 * The reason why the issuer is not proven to be the named one: its document cannot be fetched, or names another DID.
 */
export class IssuerVerificationError extends VerificationError {}

/** The result of a check: passed, failed, or null if the check has no result. */
export interface CheckResult<C extends string> {
  check: C
  ok: boolean | null
  detail: string
}

export type Verdict = 'verified' | 'failed' | 'unknown'

/** Combines outcomes: one failed outcome decides, then one unknown outcome. */
export function combineOutcomes(outcomes: readonly (boolean | null)[]): boolean | null {
  if (outcomes.includes(false)) return false
  return outcomes.includes(null) ? null : true
}

export const toVerdict = (outcome: boolean | null): Verdict =>
  outcome === null ? 'unknown' : outcome ? 'verified' : 'failed'

/** Returns the most important error: one that speaks against the credential before one that leaves the check open. */
export const getWorstError = <D extends VerificationError>(errors: readonly D[]): D | undefined =>
  errors.find(({ unknown }) => !unknown) ?? errors[0]

/** Runs a check that returns a detail or throws a `VerificationError`, and returns its result. */
export async function runCheck<C extends string>(
  check: C,
  verify: () => string | Promise<string>,
): Promise<CheckResult<C>> {
  try {
    return { check, ok: true, detail: truncateDetail(await verify()) }
  } catch (cause) {
    if (!(cause instanceof VerificationError)) throw cause
    return { check, ok: cause.unknown ? null : false, detail: cause.message }
  }
}

export type JsonObject = Record<string, unknown>

/** Returns the items of a JSON-LD set, which is written as one value or as a list. */
export const toList = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? value : [value])
