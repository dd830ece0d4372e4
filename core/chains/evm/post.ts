import { Agent, request as plain, type IncomingMessage } from 'node:http'
import { Agent as TlsAgent, request as secure } from 'node:https'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

const unpack = promisify(gunzip)

/** Milliseconds that an answer may take, and bytes that it may have. */
export interface PostLimits { patience: number; bytes: number }

/** What went wrong with a request, in a word: an HTTP status, a code of the operating system, or a name. */
export class PostFailed extends Error {
  override name = 'PostFailed'
}

/**
 * Posts JSON to one address and reads JSON, on connections that stay open. Without `fetch`, which takes 15 MB of a
 * process that uses it for nothing else. No redirect is followed. An error of the node's own (`{error: {code, message}}`) is an answer whatever
 * the HTTP status. @throws PostFailed
 */
export function posterTo(address: string, { patience, bytes }: PostLimits): (body: unknown) => Promise<unknown> {
  const url = new URL(address)
  const isSecure = url.protocol === 'https:'
  // Nodes that do not say how long they keep a connection mostly do so for 5 s.
  const kept = { keepAlive: true, timeout: 4_000, ...throughProxy() }
  const agent = isSecure ? new TlsAgent(kept) : new Agent(kept)
  const headers = {
    'content-type': 'application/json', 'accept': 'application/json', 'accept-encoding': 'gzip', 'user-agent': 'Tessera',
  }
  return async (body) => {
    const text = JSON.stringify(body)
    const signal = AbortSignal.timeout(patience)
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const options = { method: 'POST', agent, signal, headers: { ...headers, 'content-length': Buffer.byteLength(text) } }
        const outgoing = (isSecure ? secure : plain)(url, options, resolve)
        outgoing.on('error', reject).end(text)
      })
      return answerOf(response, await textOf(response, bytes))
    } catch (cause) {
      throw cause instanceof PostFailed ? cause : new PostFailed(signal.aborted ? 'TimeoutError' : troubleOf(cause))
    }
  }
}

/** The way out of the machine that its operator set. Source: Node.js, `NODE_USE_ENV_PROXY`. */
const throughProxy = () => process.env['NODE_USE_ENV_PROXY'] === '1' ? { proxyEnv: process.env } : {}

async function textOf(response: IncomingMessage, most: number): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length
    if (length > most) throw new PostFailed('ERR_BUFFER_TOO_LARGE')
    parts.push(part)
  }
  const body = Buffer.concat(parts)
  const packed = response.headers['content-encoding'] === 'gzip'
  return `${packed ? await unpack(body, { maxOutputLength: most }) : body}`
}

function answerOf({ statusCode = 500 }: IncomingMessage, text: string): unknown {
  const isGood = statusCode >= 200 && statusCode < 300
  const answer = parsed(text)
  if (isGood ? answer !== undefined : isError(answer)) return answer
  throw new PostFailed(isGood ? 'SyntaxError' : `HTTP ${statusCode}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function isError(answer: unknown): boolean {
  const { error } = (answer ?? {}) as { error?: { code?: unknown; message?: unknown } | null }
  return typeof error?.code === 'number' && typeof error.message === 'string'
}

function troubleOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown'
  const { code } = cause as Error & { code?: string }
  if (typeof code === 'string') return code
  return cause.cause instanceof Error ? troubleOf(cause.cause) : cause.name
}
