import type { Readable } from 'node:stream'

/** An answer of a handler that is not a plain JSON value. */
export type Answer =
  | { kind: 'json'; value: unknown; headers?: Record<string, string>; status?: number }
  | { kind: 'bytes'; body: Uint8Array; type: string; headers?: Record<string, string> }
  | { kind: 'text'; body: string; type: string; headers?: Record<string, string>; status?: number }
  | { kind: 'stream'; body: Readable; type: string; headers?: Record<string, string> }
  | { kind: 'events'; events: StateSource }
  | { kind: 'redirect'; location: string; headers?: Record<string, string>; status?: number }

/** An answer whose body is text, such as a page. */
export type TextAnswer = Extract<Answer, { kind: 'text' }>

/** A state that a client can follow: how to read it, and how to hear of its changes. */
export interface StateSource {
  /**
   * Reads the present state with the same value that the status route answers, or null when the state no longer exists.
   */
  read(): Promise<{ value: unknown; version: number; isTerminal: boolean } | null>
  /** Calls `onChange` when the state may have changed. @returns a function that ends the subscription */
  subscribe(onChange: () => void): () => void
}

const answers = new WeakSet<object>()

function registerAnswer<A extends Answer>(answer: A): A {
  answers.add(answer)
  return answer
}

/** Returns true only for values that a function of this file created; a handler's plain JSON never counts as one. */
export function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && answers.has(value)
}

/**
 * Answers JSON with extra headers, such as a cookie. @param status defaults to the first status that the operation
 * declares
 */
export const answerJson = (value: unknown, headers?: Record<string, string>, status?: number): Answer =>
  registerAnswer({ kind: 'json', value, ...(headers && { headers }), ...(status !== undefined && { status }) })
/** Answers binary content. @param type full media type */
export const answerBytes = (body: Uint8Array, type: string, headers?: Record<string, string>): Answer =>
  registerAnswer({ kind: 'bytes', body, type, ...(headers && { headers }) })
/** Answers text or HTML. @param status defaults to the declared status; set it for a page that reports an error */
export const answerText = (body: string, type: string, headers?: Record<string, string>, status?: number): TextAnswer =>
  registerAnswer({ kind: 'text', body, type, ...(headers && { headers }), ...(status !== undefined && { status }) })
/** Answers content of any length. */
export const answerStream = (body: Readable, type: string, headers?: Record<string, string>): Answer =>
  registerAnswer({ kind: 'stream', body, type, ...(headers && { headers }) })
/** Answers server-sent events of one state. Source: WHATWG HTML, section 9.2. */
export const answerEvents = (source: StateSource): Answer => registerAnswer({ kind: 'events', events: source })
/**
 * Redirects to another address. Use 303 after a form, so that a reload does not send the form again; the default is
 * 302. Source: RFC 9110, section 15.4.
 */
export const answerRedirect = (location: string, headers?: Record<string, string>, status = 302): Answer =>
  registerAnswer({ kind: 'redirect', location, status, ...(headers && { headers }) })
