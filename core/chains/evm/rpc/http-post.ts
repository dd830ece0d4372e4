import { Agent, request as plain, type IncomingMessage } from 'node:http'
import { Agent as TlsAgent, request as secure } from 'node:https'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { parseJson } from '../../../kernel/json/values.ts'

const unpack = promisify(gunzip)

/** The limits of an answer: its time in milliseconds and its size in bytes. */
export interface PostLimits {
  timeoutMs: number
  maxBytes: number
}

/**
 * Thrown when a request fails. The message is an HTTP status, a code of the operating system or the name of an error.
 */
export class PostError extends Error {
  override name = 'PostError'
}

/**
 * Creates a function that posts JSON to one address and reads JSON, on connections that stay open. It does not use
 * `fetch`, which takes 15 MB of memory in a process that uses it for nothing else. No redirect is followed. The node's
 * own error (`{error: {code, message}}`) is an answer, whatever the HTTP status. The created function throws PostError.
 */
export function createJsonPoster(
  address: string,
  { timeoutMs, maxBytes }: PostLimits,
): (body: unknown) => Promise<unknown> {
  const url = new URL(address)
  const isSecure = url.protocol === 'https:'
  // Most nodes that do not announce how long they keep a connection keep it for 5 s.
  const agentOptions = { keepAlive: true, timeout: 4_000, ...getProxyOptions() }
  const agent = isSecure ? new TlsAgent(agentOptions) : new Agent(agentOptions)
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': 'Tessera',
  }
  return async (body) => {
    const text = JSON.stringify(body)
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const options = {
          method: 'POST',
          agent,
          signal,
          headers: { ...headers, 'content-length': Buffer.byteLength(text) },
        }
        const outgoing = (isSecure ? secure : plain)(url, options, resolve)
        outgoing.on('error', reject).end(text)
      })
      return parseAnswer(response, await readText(response, maxBytes))
    } catch (cause) {
      throw cause instanceof PostError ? cause : new PostError(signal.aborted ? 'TimeoutError' : getErrorCode(cause))
    }
  }
}

/**
 * Returns the proxy settings of the operator, for connections that leave the machine. Source: Node.js,
 * `NODE_USE_ENV_PROXY`.
 */
const getProxyOptions = () => (process.env['NODE_USE_ENV_PROXY'] === '1' ? { proxyEnv: process.env } : {})

async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length
    if (length > maxBytes) throw new PostError('ERR_BUFFER_TOO_LARGE')
    parts.push(part)
  }
  const body = Buffer.concat(parts)
  const packed = response.headers['content-encoding'] === 'gzip'
  return `${packed ? await unpack(body, { maxOutputLength: maxBytes }) : body}`
}

function parseAnswer({ statusCode = 500 }: IncomingMessage, text: string): unknown {
  const isGood = statusCode >= 200 && statusCode < 300
  const answer = parseJson(text)
  if (isGood ? answer !== undefined : isErrorAnswer(answer)) return answer
  throw new PostError(isGood ? 'SyntaxError' : `HTTP ${statusCode}`)
}

function isErrorAnswer(answer: unknown): boolean {
  const { error } = (answer ?? {}) as { error?: { code?: unknown; message?: unknown } | null }
  return typeof error?.code === 'number' && typeof error.message === 'string'
}

function getErrorCode(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown'
  const { code } = cause as Error & { code?: string }
  if (typeof code === 'string') return code
  return cause.cause instanceof Error ? getErrorCode(cause.cause) : cause.name
}
