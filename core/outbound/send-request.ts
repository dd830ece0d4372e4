import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { OutboundError, type FetchedResponse, type OutboundOptions } from '../kernel/ports/outbound.ts'
import { acceptedEncodings, readBody } from './body.ts'
import { sendToTarget } from './connect.ts'
import type { FetchTarget } from './target.ts'

/** Status and headers of a response. */
export type ResponseHead = Omit<FetchedResponse, 'body'>

/** What a request asks for, and what its response must fulfil. */
export type FetchExpectations = Pick<OutboundOptions, 'mediaTypes' | 'maxBytes' | 'headers'> & {
  /** The form to send with POST; without it the request is a GET. */
  form?: string
}

/**
 * A function that handles a body that is compressed as `encoding` says. `body` is null for a 304 response and for a
 * redirect.
 */
export type ResponseHandler<T> = (head: ResponseHead, body: Readable | null, encoding: string) => Promise<T>

/**
 * Sends one request of a fetch. @param handleResponse gets a response that was checked, or a redirect without its body
 * @returns what `handleResponse` returns @throws OutboundError
 */
export async function sendRequest<T>(
  target: FetchTarget,
  expectations: FetchExpectations,
  signal: AbortSignal,
  handleResponse: ResponseHandler<T>,
): Promise<T> {
  const headers = {
    ...expectations.headers,
    accept: expectations.mediaTypes.length === 0 ? '*/*' : expectations.mediaTypes.join(', '),
    'accept-encoding': acceptedEncodings,
    'user-agent': 'Tessera',
    ...(expectations.form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
  }
  return sendToTarget(target, { headers, form: expectations.form, signal }, async (response) => {
    const head = parseResponseHead(response, target.url)
    if (isUnchanged(head, expectations) || getRedirect(head) !== undefined) {
      response.body.on('error', () => undefined).destroy()
      return handleResponse(head, null, '')
    }
    return handleResponse(head, response.body, getReadableEncoding(head, expectations))
  })
}

/** Creates a handler that reads the whole body. */
export const createWholeBodyHandler =
  (maxBytes: number): ResponseHandler<FetchedResponse> =>
  async (head, body, encoding) => ({ ...head, body: body ? await readBody(body, encoding, maxBytes) : Buffer.alloc(0) })

function parseResponseHead(answer: Dispatcher.ResponseData, url: URL): ResponseHead {
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  return { url: url.href, status: answer.statusCode, type, headers }
}

/** Returns the content encoding of a response. @throws OutboundError if the body must not be read */
function getReadableEncoding(
  { url, status, type, headers }: ResponseHead,
  { mediaTypes, maxBytes }: FetchExpectations,
): string {
  const { hostname } = new URL(url)
  if (status !== 200) throw new OutboundError('http_status', `${hostname} answered ${status}`, { status })
  if (mediaTypes.length > 0 && !mediaTypes.includes(type))
    throw new OutboundError('content_type', `${hostname} answered ${type || 'no type'}`)
  const encoding = headers['content-encoding'] ?? ''
  if (encoding === '' && Number(headers['content-length'] ?? 0) > maxBytes) {
    throw new OutboundError('too_large', `${hostname} announced more than ${maxBytes} bytes`)
  }
  return encoding
}

const redirectStatuses = new Set([301, 302, 303, 307, 308])

/** Returns the target of a redirect, or undefined for another response. */
export const getRedirect = ({ status, headers }: ResponseHead) =>
  redirectStatuses.has(status) ? headers['location'] : undefined

const isUnchanged = ({ status }: ResponseHead, { headers = {} }: FetchExpectations) =>
  status === 304 && Object.keys(headers).some((name) => /^if-(none-match|modified-since)$/i.test(name))
