import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Converts a Node request to a web `Request`. The result has no body, because the body was read before. */
export function toWebRequest({ method, url, headers }: IncomingMessage, signal?: AbortSignal): Request {
  const webHeaders = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) webHeaders.append(name, one)
  }
  return new Request(new URL(url ?? '/', 'http://bridge.invalid'), {
    method: method ?? 'GET',
    headers: webHeaders,
    ...(signal && { signal }),
  })
}

/**
 * Writes a web `Response` as it arrives. Resolves when all is written. If the client is gone, the rest is cancelled.
 * @param status replaces the status of `answer`
 */
export async function writeWebResponse(
  response: ServerResponse,
  answer: Response,
  status = answer.status,
): Promise<void> {
  if (response.headersSent || response.destroyed) return void (await answer.body?.cancel())
  // The server decides whether the connection stays open, because it may be stopping.
  answer.headers.delete('connection')
  response.writeHead(status, Object.fromEntries(answer.headers))
  if (!answer.body) return void response.end()
  // The headers are sent even if the stream has no data yet.
  response.flushHeaders()
  const reader = answer.body.getReader()
  const gone = () => void reader.cancel().catch(() => undefined)
  response.once('close', gone)
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (!response.write(next.value) && !response.destroyed) await waitForDrain(response)
    }
    response.end()
  } catch (cause) {
    response.destroy()
    throw cause
  } finally {
    response.off('close', gone)
  }
}

/** Resolves when more can be written, or when the client is gone. */
async function waitForDrain(response: ServerResponse): Promise<void> {
  const ended = new AbortController()
  try {
    await Promise.race(['drain', 'close'].map((event) => once(response, event, { signal: ended.signal })))
  } finally {
    ended.abort()
  }
}
