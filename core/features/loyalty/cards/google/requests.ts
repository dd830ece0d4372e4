import { isObject, parseJson } from '../../../../kernel/json/values.ts'
import type { GoogleAnswer } from './outcomes.ts'

/** Thrown when no whole answer came. */
export class GoogleSilenceError extends Error {
  override name = 'GoogleSilenceError'
  /** Whether the request may have left, so that it may have been carried out. */
  readonly mayBeDone: boolean
  constructor(mayBeDone: boolean, options: ErrorOptions) {
    super('Google gave no whole answer', options)
    this.mayBeDone = mayBeDone
  }
}

export interface GoogleRequest {
  method: 'GET' | 'POST' | 'PATCH'
  url: string
  headers?: Record<string, string>
  body?: string
  /** How long the whole answer may take. */
  timeoutMs?: number
}

const defaultTimeoutMs = 10_000
/** An answer repeats the card and its messages. */
const maxAnswerBytes = 512 * 1024

/** The errors of a connection that was not made, so that nothing was sent. */
const connectionErrors: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

/**
 * Sends a request to an address of the settings, which no user chooses. A redirect is not followed, because it would
 * carry the token elsewhere. @throws GoogleSilenceError
 */
export async function sendGoogleRequest({
  method,
  url,
  headers,
  body,
  timeoutMs = defaultTimeoutMs,
}: GoogleRequest): Promise<GoogleAnswer> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const answer = await fetch(url, {
      method,
      headers: { accept: 'application/json', ...headers },
      ...(body !== undefined && { body }),
      redirect: 'error',
      signal,
    })
    const { status } = answer
    return { status, retryAfter: answer.headers.get('retry-after'), body: parseJson(await readText(answer)) }
  } catch (cause) {
    throw new GoogleSilenceError(!isUnconnected(cause), { cause })
  }
}

/** Reads the text of an answer. @throws Error if it is too large */
async function readText(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of answer.body ?? []) {
    size += piece.length
    if (size > maxAnswerBytes) throw new Error(`The answer has more than ${maxAnswerBytes} bytes.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

/** Whether an error of `fetch` says that there was no connection; with several addresses, all errors have to say it. */
function isUnconnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof AggregateError) return cause.errors.every(hasConnectionCode)
  return hasConnectionCode(cause)
}

const hasConnectionCode = (error: unknown): boolean =>
  error instanceof Error && connectionErrors.has((error as NodeJS.ErrnoException).code)

/** Returns a member of an answer that is text; null if it has none. */
export function readTextMember(body: unknown, name: string): string | null {
  const value = isObject(body) ? body[name] : undefined
  return typeof value === 'string' ? value : null
}
