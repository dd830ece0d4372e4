import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { isAnswer, type Answer } from '../kernel/answer.ts'
import type { Declaration } from '../kernel/operation.ts'

/** An answer ready for the wire. */
export interface Written {
  status: number
  headers: Record<string, string>
  body: string | Buffer | Readable | null
}

/** The success status an operation declares; of several the smallest, which is answered unless the handler says another. */
export function successOf(declaration: Declaration): number {
  const [status] = Object.keys(declaration.returns).map(Number)
  if (status === undefined) throw new Error(`${declaration.id} declares no answer`)
  return status
}

/** A handler's value as status, headers and bytes. Event streams are written elsewhere. */
export function present(declaration: Declaration, value: unknown): Written {
  const status = successOf(declaration)
  const headers: Record<string, string> = { ...declaration.headers }
  if (isAnswer(value)) return presentAnswer(value, status, headers, declaration)
  if (declaration.returns[status] === null) return { status, headers, body: null }
  return jsonAnswer(value, status, headers, declaration)
}

function jsonAnswer(
  value: unknown,
  status: number,
  headers: Record<string, string>,
  declaration: Declaration,
): Written {
  const body = JSON.stringify(value)
  headers['Content-Type'] = 'application/json; charset=utf-8'
  const location = locationOf(declaration, status, value)
  if (location !== null) headers['Location'] = location
  if (declaration.etag && declaration.method !== 'DELETE' && status === successOf(declaration)) headers['ETag'] = etagOf(body)
  return { status, headers, body }
}

function presentAnswer(
  answer: Answer,
  status: number,
  headers: Record<string, string>,
  declaration: Declaration,
): Written {
  switch (answer.kind) {
    case 'json':
      return jsonAnswer(answer.value, answer.status ?? status, { ...headers, ...answer.headers }, declaration)
    case 'bytes': {
      const body = Buffer.from(answer.body)
      const etag = declaration.etag && { ETag: etagOf(Buffer.concat([Buffer.from(`${answer.type}\n`), body])) }
      return { status, headers: { ...headers, 'Content-Type': answer.type, ...etag, ...answer.headers }, body }
    }
    case 'text':
      return {
        status: answer.status ?? status,
        headers: {
          ...headers, 'Content-Type': answer.type, ...(declaration.etag && { ETag: etagOf(answer.body) }), ...answer.headers,
        },
        body: answer.body,
      }
    case 'stream':
      return { status, headers: { ...headers, 'Content-Type': answer.type, ...answer.headers }, body: answer.body }
    case 'redirect':
      return {
        status: answer.status ?? 302,
        headers: { ...headers, ...answer.headers, Location: answer.location },
        body: null,
      }
    case 'events':
      throw new Error('Event streams are written by the events module')
  }
}

function locationOf(declaration: Declaration, status: number, value: unknown): string | null {
  if (declaration.location) return declaration.location(value as never)
  const jobId = status === 202 ? (value as { jobId?: unknown }).jobId : undefined
  return typeof jobId === 'string' ? `/v1/jobs/${jobId}` : null
}

/** Strong validator of a representation. Source: RFC 9110, section 8.8.3. */
export function etagOf(body: string | Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 27)}"`
}

/** Whether a list of validators names this one. @param weak whether `W/` prefixes are ignored, as If-None-Match does */
export function etagMatches(header: string, etag: string, weak: boolean): boolean {
  if (header.trim() === '*') return true
  return header
    .split(',')
    .map((part) => part.trim())
    .some((part) => part === etag || (weak && part.replace(/^W\//, '') === etag))
}
