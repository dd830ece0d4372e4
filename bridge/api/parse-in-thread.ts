import { Worker } from 'node:worker_threads'
import { DocumentError } from '../../tools/openapi.ts'
import type { ParsedDocument } from './document-thread.ts'

/** The memory of the thread, in MiB: a document of 64 MiB fits, aliases that multiply do not. */
const maxThreadMegabytes = 1024
const parseTimeoutMs = 30_000

/**
 * Parses a document in a thread of its own, so that no call waits for it.
 * @param bytes JSON or YAML; the bytes are copied
 * @throws DocumentError if the bytes are no document, or take more than 30 s or 1 GiB to parse
 */
export async function parseInThread(bytes: Uint8Array): Promise<unknown> {
  const thread = new Worker(new URL('./document-thread.ts', import.meta.url), {
    workerData: bytes,
    resourceLimits: { maxOldGenerationSizeMb: maxThreadMegabytes },
  })
  const timer = setTimeout(() => void thread.terminate(), parseTimeoutMs)
  try {
    const parsed = await new Promise<ParsedDocument>((resolve, reject) => {
      thread.once('message', resolve)
      thread.once('error', (cause: NodeJS.ErrnoException) =>
        reject(cause.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new DocumentError('it takes too much memory') : cause),
      )
      thread.once('exit', () => reject(new DocumentError('it takes too long to parse')))
    })
    if ('refusal' in parsed) throw new DocumentError(parsed.refusal)
    return parsed.document
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}
