import sax from 'sax'
import { InitError } from '../../records/index.ts'
import { createBrokenWorkbookError } from './errors.ts'

/** The callbacks for the elements of a document. Names come without prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Readonly<Record<string, string>>): void
  close?(name: string): void
  /** Receives text and character data, which may come in several parts. */
  text?(text: string): void
}

/**
 * The maximum depth of elements, and the maximum number of attributes of one: no workbook comes near them, and all are
 * held in memory.
 */
const xmlLimits = { depth: 64, attributes: 256 }

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

/**
 * Reads an XML document chunk by chunk and yields after each one, so that the caller can hand on what was found.
 * Entities that a document declares itself are not expanded.
 * @throws InitError if the document is not well-formed or not UTF-8
 */
export async function* readXml(chunks: AsyncIterable<Buffer>, what: string, handler: XmlHandler): AsyncGenerator<void> {
  const parser = sax.parser(true, { trim: false, normalize: false })
  let depth = 0
  let attributes = 0
  parser.onopentagstart = () => {
    attributes = 0
    if (++depth > xmlLimits.depth)
      throw createBrokenWorkbookError(
        `${what} of the workbook has more than ${xmlLimits.depth} elements within each other.`,
      )
  }
  parser.onattribute = () => {
    if (++attributes > xmlLimits.attributes)
      throw createBrokenWorkbookError(
        `${what} of the workbook has an element of more than ${xmlLimits.attributes} attributes.`,
      )
  }
  parser.onopentag = ({ name, attributes }) =>
    handler.open?.(
      localName(name),
      Object.fromEntries(Object.entries(attributes).map(([key, value]) => [localName(key), String(value)])),
    )
  parser.onclosetag = (name) => {
    depth--
    handler.close?.(localName(name))
  }
  parser.ontext = (text) => handler.text?.(text)
  parser.oncdata = (text) => handler.text?.(text)
  parser.onerror = (cause) => {
    throw cause
  }
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of chunks) {
      parser.write(decoder.decode(chunk, { stream: true }))
      yield
    }
    parser.write(decoder.decode())
    parser.close()
  } catch (cause) {
    if (cause instanceof InitError || !(cause instanceof Error)) throw cause
    throw createBrokenWorkbookError(`${what} of the workbook is not well-formed XML in UTF-8.`, cause)
  }
  yield
}

/** Reads an XML document as a whole, by the rules of `readXml`. */
export async function readWholeXml(chunks: AsyncIterable<Buffer>, what: string, handler: XmlHandler): Promise<void> {
  for await (const _ of readXml(chunks, what, handler)) continue
}
