/** What a verification looks at of a secured credential by itself. */
export type SecuredCheck = 'proof' | 'issuer' | 'key' | 'status' | 'validity'

/** Characters of a detail: what is judged may be the words of anyone. */
const longest = 300

export const shortened = (text: string): string => (text.length <= longest ? text : `${text.slice(0, longest - 1)}…`)

/**
 * Why a check does not hold, as a sentence for people. Whatever else is thrown is no answer about a credential.
 * `unknown`: the check cannot be judged here and now (a host is out of reach, a kind of key is not known), which says
 * nothing against the credential and nothing for it.
 */
export class Doubt extends Error {
  override name = 'Doubt'
  readonly unknown: boolean

  constructor(detail: string, { unknown = false, ...options }: ErrorOptions & { unknown?: boolean } = {}) {
    super(shortened(detail), options)
    this.unknown = unknown
  }
}

/** A doubt whether the issuer is who is named: its document cannot be had, or is not its own. */
export class IssuerDoubt extends Doubt {}

/** An outcome of a check: it holds, it does not, or null where it cannot be judged. */
export interface Judged<C extends string> { check: C; ok: boolean | null; detail: string }

export type Verdict = 'verified' | 'failed' | 'unknown'

/** The outcome that several come to: one that fails decides, then one that is unknown. */
export function combineOutcomes(outcomes: readonly (boolean | null)[]): boolean | null {
  if (outcomes.includes(false)) return false
  return outcomes.includes(null) ? null : true
}

/** Names an outcome. */
export const verdictOf = (outcome: boolean | null): Verdict =>
  outcome === null ? 'unknown' : outcome ? 'verified' : 'failed'

/** The doubt that counts most: one that speaks against a credential before one that leaves it open. */
export const worstDoubt = <D extends Doubt>(doubts: readonly D[]): D | undefined =>
  doubts.find(({ unknown }) => !unknown) ?? doubts[0]

/** The outcome of a check that answers what it found, or throws a doubt. */
export async function judged<C extends string>(check: C, look: () => string | Promise<string>): Promise<Judged<C>> {
  try {
    return { check, ok: true, detail: shortened(await look()) }
  } catch (cause) {
    if (!(cause instanceof Doubt)) throw cause
    return { check, ok: cause.unknown ? null : false, detail: cause.message }
  }
}

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value, or several of them, as JSON-LD writes a set. */
export const asList = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? value : [value])
