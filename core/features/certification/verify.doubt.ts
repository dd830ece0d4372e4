/** What a verification looks at of a secured credential by itself. */
export type SecuredCheck = 'proof' | 'issuer' | 'key' | 'status' | 'validity'

/** Characters of a detail: what is judged may be the words of anyone. */
const longest = 300

export const shortened = (text: string): string => (text.length <= longest ? text : `${text.slice(0, longest - 1)}…`)

/** Why a check does not hold, as a sentence for people. Whatever else is thrown is no answer about a credential. */
export class Doubt extends Error {
  override name = 'Doubt'

  constructor(detail: string, options: ErrorOptions = {}) {
    super(shortened(detail), options)
  }
}

/** A doubt whether the issuer is who is named: its document cannot be had, or is not its own. */
export class IssuerDoubt extends Doubt {}

export interface Judged<C extends string> { check: C; ok: boolean; detail: string }

/** The outcome of a check that answers what it found, or throws a doubt. */
export async function judged<C extends string>(check: C, look: () => string | Promise<string>): Promise<Judged<C>> {
  try {
    return { check, ok: true, detail: shortened(await look()) }
  } catch (cause) {
    if (!(cause instanceof Doubt)) throw cause
    return { check, ok: false, detail: cause.message }
  }
}

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value, or several of them, as JSON-LD writes a set. */
export const asList = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? value : [value])
