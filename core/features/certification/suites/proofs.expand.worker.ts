import { parentPort } from 'node:worker_threads'
import { cryptosuite } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'

/** A message from the main thread to the worker thread. */
export type MessageToWorker = { input: object; id: number } | { url: string; document: object | null }
/** A message from the worker thread to the main thread. */
export type MessageFromWorker =
  | { ready: true }
  | { load: string }
  | { id: number; text: string }
  | { id: number; error: { name: string; message: string; term: string | null } }

/** Canonicalizes documents and requests each context from the main thread. */
function serveCanonizer(port: NonNullable<typeof parentPort>): void {
  const sendMessage = (message: MessageFromWorker) => port.postMessage(message)
  const pendingLoads = new Map<string, PromiseWithResolvers<object>>()
  const load = async (url: string) => {
    const pending = pendingLoads.get(url) ?? Promise.withResolvers<object>()
    if (!pendingLoads.has(url)) sendMessage({ load: url })
    pendingLoads.set(url, pending)
    // The tag `static` lets the processor reuse a resolved context. This is safe, because the thread serves one caller
    // only.
    return { contextUrl: null, documentUrl: url, document: await pending.promise, tag: 'static' }
  }
  const canonize = async (id: number, input: object) => {
    try {
      sendMessage({
        id,
        text: await cryptosuite.canonize(input, { documentLoader: load, base: null, safe: true, maxWorkFactor: 1 }),
      })
    } catch (error) {
      const { name, message } = error as Error
      sendMessage({ id, error: { name, message, term: getLostTerm(error) } })
    }
  }
  port.on('message', (message: MessageToWorker) => {
    if ('input' in message) return void canonize(message.id, message.input)
    if (message.document === null) pendingLoads.get(message.url)?.reject(new Error('The context cannot be had'))
    else pendingLoads.get(message.url)?.resolve(message.document)
  })
  sendMessage({ ready: true })
}

/** Returns the term for which a document was rejected: the processor's error names what would have been lost. */
function getLostTerm(error: unknown): string | null {
  const { details } = error as { details?: { event?: { details?: Record<string, unknown> } } }
  const { property, type, id } = details?.event?.details ?? {}
  const term = [property, type, id].find((one) => typeof one === 'string')
  return term === undefined ? null : String(term).slice(0, 100)
}

if (parentPort) serveCanonizer(parentPort)
