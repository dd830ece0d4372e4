import { parentPort, workerData } from 'node:worker_threads'
import { parseDocument } from '../../tools/document-formats.ts'
import { DocumentError } from '../../tools/openapi.ts'

/** What the thread answers: the document, or why the bytes are none. */
export type ParsedDocument = { readonly document: unknown } | { readonly refusal: string }

function parse(bytes: Uint8Array): ParsedDocument {
  try {
    return { document: parseDocument(bytes) }
  } catch (cause) {
    if (cause instanceof DocumentError) return { refusal: cause.message }
    throw cause
  }
}

parentPort?.postMessage(parse(workerData as Uint8Array))
