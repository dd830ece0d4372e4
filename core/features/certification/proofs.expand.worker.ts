import { parentPort } from 'node:worker_threads'
import { cryptosuite } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'

/** What the thread is told. */
export type ToWorker = { input: object; id: number } | { url: string; document: object | null }
/** What the thread tells. */
export type FromWorker = { ready: true } | { load: string } | { id: number; text: string } | { id: number; error: { name: string; message: string; term: string | null } }

/** Brings documents into their one form, asking the main thread for each context. */
function serve(port: NonNullable<typeof parentPort>): void {
  const tell = (message: FromWorker) => port.postMessage(message)
  const waiting = new Map<string, PromiseWithResolvers<object>>()
  const load = async (url: string) => {
    const asked = waiting.get(url) ?? Promise.withResolvers<object>()
    if (!waiting.has(url)) tell({ load: url })
    waiting.set(url, asked)
    // The processor keeps what it made of a context for what comes after: the thread is that of one who asks.
    return { contextUrl: null, documentUrl: url, document: await asked.promise, tag: 'static' }
  }
  const canonize = async (id: number, input: object) => {
    try {
      tell({ id, text: await cryptosuite.canonize(input, { documentLoader: load, base: null, safe: true, maxWorkFactor: 1 }) })
    } catch (error) {
      const { name, message } = error as Error
      tell({ id, error: { name, message, term: termIn(error) } })
    }
  }
  port.on('message', (message: ToWorker) => {
    if ('input' in message) return void canonize(message.id, message.input)
    if (message.document === null) waiting.get(message.url)?.reject(new Error('The context cannot be had'))
    else waiting.get(message.url)?.resolve(message.document)
  })
  tell({ ready: true })
}

/** Which word a document was refused for: its processor tells what it would have lost. */
function termIn(error: unknown): string | null {
  const { details } = error as { details?: { event?: { details?: Record<string, unknown> } } }
  const { property, type, id } = details?.event?.details ?? {}
  const term = [property, type, id].find((one) => typeof one === 'string')
  return term === undefined ? null : String(term).slice(0, 100)
}

if (parentPort) serve(parentPort)
