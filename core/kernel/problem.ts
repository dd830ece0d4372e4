import { problemCodes, type ProblemCode } from './problem-codes.ts'

/**
 * One thing that is wrong with input. `path` is dotted (`fields.serialNumber`, `filters[0].value`). `value`, only in
 * reports on files: the wrong value as text; null if there is none.
 */
export interface Issue {
  path: string
  code: string
  message: string
  value?: string | null
}

export interface ProblemOptions {
  /** Shorthand for one entry of `errors` with this path. */
  path?: string
  errors?: readonly Issue[]
  /** Further members of the body, such as `permission` of a 403 or `existing` of a duplicate. */
  extra?: Record<string, unknown>
  headers?: Record<string, string>
  cause?: unknown
}

/** Maximum number of characters of a sentence and of a path. Both may quote the request, which may have millions. */
const maxLengths = { text: 1_000, path: 500 }

const truncateText = (text: string, maxLength: number) =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`

const truncateIssue = ({ path, code, message }: Issue): Issue => ({
  path: truncateText(path, maxLengths.path),
  code,
  message: truncateText(message, maxLengths.text),
})

/**
 * A refusal of a request with a stable code. Rules throw it, and the HTTP layer writes it as problem details. An answer
 * never contains a stack, SQL or a file name. Source: RFC 9457.
 */
export class ProblemError extends Error {
  readonly code: ProblemCode
  readonly detail: string
  readonly errors: readonly Issue[] | undefined
  readonly extra: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(
      `${code}: ${truncateText(detail, maxLengths.text)}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.name = 'ProblemError'
    this.code = code
    this.detail = truncateText(detail, maxLengths.text)
    this.errors =
      options.errors?.map(truncateIssue)
      ?? (options.path === undefined
        ? undefined
        : [truncateIssue({ path: options.path, code: code.toLowerCase(), message: detail })])
    this.extra = options.extra ?? {}
    this.headers = options.headers ?? {}
  }

  /** The HTTP status. It is looked up when it is read: a process that answers no requests may not know all codes. */
  get status(): number {
    return problemCodes[this.code].status
  }
}

/** Creates a problem to throw. @param detail English sentence for people; clients translate the code */
export function createProblem(code: ProblemCode, detail: string, options?: ProblemOptions): ProblemError {
  return new ProblemError(code, detail, options)
}

/** Creates the same problem for a missing, a foreign and a hidden resource, so that a caller cannot tell them apart. */
export function createNotFoundProblem(): ProblemError {
  return new ProblemError('NOT_FOUND', 'There is no such resource, or you cannot see it.')
}

/** Creates the problem for values that were parsed but break a rule. */
export function createValidationProblem(errors: readonly Issue[]): ProblemError {
  const first = errors[0]
  return new ProblemError(
    'VALIDATION_FAILED',
    first ? `${first.path}: ${first.message}` : 'The content is not valid.',
    {
      errors,
    },
  )
}
