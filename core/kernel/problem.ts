import { codes, type Code } from './codes.ts'

/** One violation inside a request. `path` is dotted (`fields.serialNumber`, `filters[0].value`). */
export interface Violation { path: string; code: string; message: string }

export interface ProblemOptions {
  /** Single path shorthand: becomes one entry of `errors`. */
  path?: string
  errors?: readonly Violation[]
  /** Further members of the body, as `permission` on a 403 or `existing` on a duplicate. */
  extra?: Record<string, unknown>
  headers?: Record<string, string>
  cause?: unknown
}

/** Characters of a sentence, and of a path. A request's own words may stand in both, and may be millions. */
const longest = { text: 1_000, path: 500 }

const cut = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most - 1)}…`)

const shortened = ({ path, code, message }: Violation): Violation =>
  ({ path: cut(path, longest.path), code, message: cut(message, longest.text) })

/**
 * A refusal with a stable code. Thrown by rules, written by the HTTP layer as problem details.
 * Source: RFC 9457. A problem never carries a stack, SQL or a file name into an answer.
 */
export class Problem extends Error {
  readonly code: Code
  readonly status: number
  readonly detail: string
  readonly errors: readonly Violation[] | undefined
  readonly extra: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(code: Code, detail: string, options: ProblemOptions = {}) {
    super(`${code}: ${cut(detail, longest.text)}`, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Problem'
    this.code = code
    this.status = codes[code].status
    this.detail = cut(detail, longest.text)
    this.errors = options.errors?.map(shortened) ?? (options.path === undefined
      ? undefined
      : [shortened({ path: options.path, code: code.toLowerCase(), message: detail })])
    this.extra = options.extra ?? {}
    this.headers = options.headers ?? {}
  }
}

/** A problem to throw. @param detail English sentence for people; clients map the code. */
export function problem(code: Code, detail: string, options?: ProblemOptions): Problem {
  return new Problem(code, detail, options)
}

/** The one way a missing, foreign or hidden resource is answered, so that the three cannot be told apart. */
export function notFound(): Problem {
  return new Problem('NOT_FOUND', 'There is no such resource, or you cannot see it.')
}

/** A value that was understood but breaks a rule. */
export function invalid(errors: readonly Violation[]): Problem {
  const first = errors[0]
  return new Problem('VALIDATION_FAILED', first ? `${first.path}: ${first.message}` : 'The content is not valid.', { errors })
}
