import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { OutboundError, type Fetched, type OutboundOptions } from '../kernel/parts.ts'
import { encodings, readBody } from './body.ts'
import { sendTo } from './connect.ts'
import type { Target } from './target.ts'

/** What an answer says before its body. */
export type Head = Omit<Fetched, 'body'>

/** What is asked for, and how an answer to it is judged. */
export type Asked = Pick<OutboundOptions, 'types' | 'most' | 'headers'>

/** What to do with a body, packed as `encoding` says; null where there is none: unchanged, or a redirect. */
export type Take<T> = (head: Head, body: Readable | null, encoding: string) => Promise<T>

/** One request of a fetch. @returns a judged answer, or a redirect to follow. @throws OutboundError */
export async function ask<T>(target: Target, asked: Asked, signal: AbortSignal, take: Take<T>): Promise<T> {
  const headers = {
    ...asked.headers,
    accept: asked.types.length === 0 ? '*/*' : asked.types.join(', '),
    'accept-encoding': encodings,
    'user-agent': 'Tessera',
  }
  return sendTo(target, { headers, signal }, async (answer) => {
    const head = headOf(answer, target.url)
    if (isUnchanged(head, asked) || redirectOf(head) !== undefined) {
      answer.body.on('error', () => undefined).destroy()
      return take(head, null, '')
    }
    return take(head, answer.body, encodingOf(head, asked))
  })
}

/** Takes a body as a whole. */
export const whole = (most: number): Take<Fetched> => async (head, body, encoding) =>
  ({ ...head, body: body ? await readBody(body, encoding, most) : Buffer.alloc(0) })

function headOf(answer: Dispatcher.ResponseData, url: URL): Head {
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  return { url: url.href, status: answer.statusCode, type, headers }
}

/** How the body of an answer is packed. @throws OutboundError where it is not one to read */
function encodingOf({ url, status, type, headers }: Head, { types, most }: Asked): string {
  const { hostname } = new URL(url)
  if (status !== 200) throw new OutboundError('http_status', `${hostname} answered ${status}`, { status })
  if (types.length > 0 && !types.includes(type))
    throw new OutboundError('content_type', `${hostname} answered ${type || 'no type'}`)
  const encoding = headers['content-encoding'] ?? ''
  if (encoding === '' && Number(headers['content-length'] ?? 0) > most) {
    throw new OutboundError('too_large', `${hostname} announced more than ${most} bytes`)
  }
  return encoding
}

const redirects = new Set([301, 302, 303, 307, 308])

/** Where an answer sends its reader instead, if it does. */
export const redirectOf = ({ status, headers }: Head) => (redirects.has(status) ? headers['location'] : undefined)

const isUnchanged = ({ status }: Head, { headers = {} }: Asked) =>
  status === 304 && Object.keys(headers).some((name) => /^if-(none-match|modified-since)$/i.test(name))
