import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { isAnswer, type Answer } from '../../kernel/answer.ts'
import type { OperationDeclaration } from '../../kernel/operation.ts'
import type { PageResult } from '../../kernel/page.ts'
import { toSelectedEtag } from '../coding/content-coding.ts'
import { hashSelection, selectMembers, type Selection } from '../query/fields.ts'

/** An answer as status, headers and body. */
export interface WireAnswer {
  status: number
  headers: Record<string, string>
  body: string | Buffer | Readable | null
}

/** Returns the smallest success status that an operation declares. It is used unless the handler sets another. */
export function getSuccessStatus(declaration: OperationDeclaration): number {
  const [status] = Object.keys(declaration.returns).map(Number)
  if (status === undefined) throw new Error(`${declaration.id} declares no answer`)
  return status
}

/**
 * Converts a handler's value to status, headers and body. Event streams are written elsewhere.
 * @param selection the members that the caller asked for; null for all of them
 */
export function presentValue(
  declaration: OperationDeclaration,
  value: unknown,
  selection: Selection | null = null,
): WireAnswer {
  const status = getSuccessStatus(declaration)
  const headers: Record<string, string> = { ...declaration.transport.headers }
  if (selection) return presentSelection(value as object, { status, headers, selection }, declaration)
  if (isAnswer(value)) return presentAnswer(value, status, headers, declaration)
  if (declaration.returns[status] === null) return { status, headers, body: null }
  return presentJson(value, status, headers, declaration)
}

function presentJson(
  value: unknown,
  status: number,
  headers: Record<string, string>,
  declaration: OperationDeclaration,
): WireAnswer {
  const body = JSON.stringify(value)
  headers['Content-Type'] = 'application/json; charset=utf-8'
  const location = getLocation(declaration, status, value)
  if (location !== null) headers['Location'] = location
  if (declaration.transport.hasEtag && declaration.method !== 'DELETE' && status === getSuccessStatus(declaration))
    headers['ETag'] = createEtag(body)
  return { status, headers, body }
}

/**
 * Presents the selected members of an entity, or of the rows of a list. The ETag has that of the whole entity in it, so
 * that `If-Match` can compare versions.
 */
function presentSelection(
  value: object,
  { status, headers, selection }: { status: number; headers: Record<string, string>; selection: Selection },
  declaration: OperationDeclaration,
): WireAnswer {
  if (declaration.list) {
    const { data, ...page } = value as PageResult<unknown>
    return presentJson(
      { data: data.map((row) => selectMembers(row, selection)), ...page },
      status,
      headers,
      declaration,
    )
  }
  const { headers: ofWhole } = presentJson(value, status, headers, declaration)
  const { ETag: etag, ...others } = ofWhole
  return {
    status,
    headers: { ...others, ...(etag !== undefined && { ETag: toSelectedEtag(etag, hashSelection(selection)) }) },
    body: JSON.stringify(selectMembers(value, selection)),
  }
}

function presentAnswer(
  answer: Answer,
  status: number,
  headers: Record<string, string>,
  declaration: OperationDeclaration,
): WireAnswer {
  switch (answer.kind) {
    case 'json':
      return presentJson(answer.value, answer.status ?? status, { ...headers, ...answer.headers }, declaration)
    case 'bytes': {
      const body = Buffer.from(answer.body)
      const etag = declaration.transport.hasEtag && {
        ETag: createEtag(Buffer.concat([Buffer.from(`${answer.type}\n`), body])),
      }
      return { status, headers: { ...headers, 'Content-Type': answer.type, ...etag, ...answer.headers }, body }
    }
    case 'text':
      return {
        status: answer.status ?? status,
        headers: {
          ...headers,
          'Content-Type': answer.type,
          ...(declaration.transport.hasEtag && { ETag: createEtag(answer.body) }),
          ...answer.headers,
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

function getLocation(declaration: OperationDeclaration, status: number, value: unknown): string | null {
  if (declaration.transport.location) return declaration.transport.location(value as never)
  const jobId = status === 202 ? (value as { jobId?: unknown }).jobId : undefined
  return typeof jobId === 'string' ? `/v1/jobs/${jobId}` : null
}

/** Creates the strong ETag of a representation. Source: RFC 9110, section 8.8.3. */
export function createEtag(body: string | Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 27)}"`
}

/**
 * Checks whether a list of ETags contains this one. @param isWeak whether `W/` prefixes are ignored, as for
 * If-None-Match
 */
export function etagMatches(header: string, etag: string, isWeak: boolean): boolean {
  if (header.trim() === '*') return true
  return header
    .split(',')
    .map((part) => part.trim())
    .some((part) => part === etag || (isWeak && part.replace(/^W\//, '') === etag))
}
