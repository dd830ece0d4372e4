import { request } from 'undici'

/** The largest document, in bytes. */
const maxDocumentBytes = 64 * 1024 * 1024

/** An answer to the request for the document. `bytes` is empty unless the status is 200. */
export interface DocumentAnswer {
  readonly status: number
  readonly etag: string | null
  readonly bytes: Uint8Array
}

/**
 * Fetches the document for the bridge itself, so without a caller's credentials. It follows no redirect.
 * @param etag the version that is known; null for none
 * @throws Error if the address cannot be reached or the document is larger than 64 MiB, or the signal's reason
 */
export async function fetchDocument(url: string, etag: string | null, signal: AbortSignal): Promise<DocumentAnswer> {
  const { statusCode, headers, body } = await request(url, {
    headers: {
      accept:
        'application/json, application/yaml, application/openapi+json, application/openapi+yaml, text/yaml, */*;q=0.1',
      ...(etag !== null && { 'if-none-match': etag }),
    },
    signal,
  })
  const stated = headers['etag']
  const answer = { status: statusCode, etag: typeof stated === 'string' ? stated : null }
  if (statusCode !== 200) {
    await body.dump({ limit: 64 * 1024 })
    return { ...answer, bytes: new Uint8Array() }
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += (chunk as Uint8Array).length
    if (size > maxDocumentBytes) throw new Error(`the document is larger than ${maxDocumentBytes} bytes`)
    chunks.push(chunk as Uint8Array)
  }
  return { ...answer, bytes: Buffer.concat(chunks) }
}
