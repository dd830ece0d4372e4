import type { Readable } from 'node:stream'

/** The only answers that are not a plain JSON value. */
export type Answer =
  | { kind: 'json'; value: unknown; headers?: Record<string, string>; status?: number }
  | { kind: 'bytes'; body: Uint8Array; type: string; headers?: Record<string, string> }
  | { kind: 'text'; body: string; type: string; headers?: Record<string, string>; status?: number }
  | { kind: 'stream'; body: Readable; type: string; headers?: Record<string, string> }
  | { kind: 'events'; events: EventSource }
  | { kind: 'redirect'; location: string; headers?: Record<string, string>; status?: number }

/** A state to follow: its present value, how to wait for the next, and whether it has ended. */
export interface EventSource {
  /** The present state, exactly as the status route answers it, or null when it is gone. */
  read(): Promise<{ value: unknown; version: number; terminal: boolean } | null>
  /** Calls back when the state may have changed. @returns a function that ends the subscription. */
  subscribe(changed: () => void): () => void
}

const answers = new WeakSet<object>()

function tag<A extends Answer>(answer: A): A {
  answers.add(answer)
  return answer
}

/** True for values made here; a handler's plain JSON can never be taken for one. */
export function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && answers.has(value)
}

/** JSON with headers of its own, as a cookie. @param status the first of those declared unless stated */
export const json = (value: unknown, headers?: Record<string, string>, status?: number): Answer =>
  tag({ kind: 'json', value, ...(headers && { headers }), ...(status !== undefined && { status }) })
/** Binary content. @param type full media type. */
export const bytes = (body: Uint8Array, type: string, headers?: Record<string, string>): Answer =>
  tag({ kind: 'bytes', body, type, ...(headers && { headers }) })
/** Text or HTML. @param status the declared one unless stated, as for a page that says what went wrong */
export const text = (body: string, type: string, headers?: Record<string, string>, status?: number): Answer =>
  tag({ kind: 'text', body, type, ...(headers && { headers }), ...(status !== undefined && { status }) })
/** Content of any length. */
export const stream = (body: Readable, type: string, headers?: Record<string, string>): Answer =>
  tag({ kind: 'stream', body, type, ...(headers && { headers }) })
/** Server-sent events of one state. Source: WHATWG HTML, section 9.2. */
export const events = (source: EventSource): Answer => tag({ kind: 'events', events: source })
/** Another address: 302, or 303 after a form, so that a reload does not send it again. Source: RFC 9110, section 15.4. */
export const redirect = (location: string, headers?: Record<string, string>, status = 302): Answer =>
  tag({ kind: 'redirect', location, status, ...(headers && { headers }) })
