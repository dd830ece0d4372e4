import type { Dispatcher } from 'undici'
import { OutboundError, type Fetched, type OutboundOptions } from '../kernel/parts.ts'
import { encodings, readBody } from './body.ts'
import { sendTo } from './connect.ts'
import type { Target } from './target.ts'

/** One request of a fetch. @returns a judged answer, or a redirect to follow. @throws OutboundError */
export async function ask(target: Target, options: OutboundOptions, signal: AbortSignal): Promise<Fetched> {
  const headers = {
    ...options.headers,
    accept: options.types.length === 0 ? '*/*' : options.types.join(', '),
    'accept-encoding': encodings,
    'user-agent': 'Tessera',
  }
  return sendTo(target, { headers, signal }, (answer) => take(answer, target.url, options))
}

async function take(answer: Dispatcher.ResponseData, url: URL, options: OutboundOptions): Promise<Fetched> {
  const { types, most } = options
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const got = { url: url.href, status: answer.statusCode, type, headers, body: Buffer.alloc(0) }
  if (isUnchanged(got, options) || redirectOf(got) !== undefined) {
    answer.body.on('error', () => undefined).destroy()
    return got
  }
  if (answer.statusCode !== 200) throw new OutboundError('http_status', `${url.hostname} answered ${answer.statusCode}`)
  if (types.length > 0 && !types.includes(type))
    throw new OutboundError('content_type', `${url.hostname} answered ${type || 'no type'}`)
  const encoding = headers['content-encoding'] ?? ''
  if (encoding === '' && Number(headers['content-length'] ?? 0) > most) {
    throw new OutboundError('too_large', `${url.hostname} announced more than ${most} bytes`)
  }
  return { ...got, body: await readBody(answer.body, encoding, most) }
}

const redirects = new Set([301, 302, 303, 307, 308])

/** Where an answer sends its reader instead, if it does. */
export const redirectOf = ({ status, headers }: Fetched) => (redirects.has(status) ? headers['location'] : undefined)

const isUnchanged = ({ status }: Fetched, { headers = {} }: OutboundOptions) =>
  status === 304 && Object.keys(headers).some((name) => /^if-(none-match|modified-since)$/i.test(name))
