import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request as the web has it, for what speaks that. Its body was read before, so it has none. */
export function webRequest({ method, url, headers }: IncomingMessage, signal?: AbortSignal): Request {
  const found = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) found.append(name, one)
  }
  return new Request(new URL(url ?? '/', 'http://bridge.invalid'), {
    method: method ?? 'GET',
    headers: found,
    ...(signal && { signal }),
  })
}

/**
 * Writes an answer of the web as it comes. Resolves when all is written; a client that is gone cancels the rest.
 * @param status in place of the answer's own
 */
export async function writeWeb(response: ServerResponse, answer: Response, status = answer.status): Promise<void> {
  if (response.headersSent || response.destroyed) return void (await answer.body?.cancel())
  // Whether the connection goes on is decided by the server, which may be stopping.
  answer.headers.delete('connection')
  response.writeHead(status, Object.fromEntries(answer.headers))
  if (!answer.body) return void response.end()
  // A stream that has nothing to say yet is open all the same.
  response.flushHeaders()
  const reader = answer.body.getReader()
  const gone = () => void reader.cancel().catch(() => undefined)
  response.once('close', gone)
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (!response.write(next.value) && !response.destroyed) await drained(response)
    }
    response.end()
  } catch (cause) {
    response.destroy()
    throw cause
  } finally {
    response.off('close', gone)
  }
}

/** Resolves when more can be written, or when nobody reads any more. */
async function drained(response: ServerResponse): Promise<void> {
  const ended = new AbortController()
  try {
    await Promise.race(['drain', 'close'].map((event) => once(response, event, { signal: ended.signal })))
  } finally {
    ended.abort()
  }
}
