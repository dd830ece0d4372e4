import sax from 'sax'
import { InitError } from '../imports.types.ts'
import { brokenBook } from './faults.ts'

/** What is done with the elements of a document. Names are without prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Readonly<Record<string, string>>): void
  close?(name: string): void
  /** Text and character data, which may come in several parts. */
  text?(text: string): void
}

/** Elements within each other, and attributes of one: no workbook has nearly as many, and each is held in memory. */
const max = { depth: 64, attributes: 256 }

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

/**
 * Reads an XML document chunk by chunk, and comes back after each, so that what was found can be handed on. Entities that
 * a document declares itself are not expanded. @throws InitError for what is not well-formed or no UTF-8
 */
export async function* readXml(chunks: AsyncIterable<Buffer>, what: string, handler: XmlHandler): AsyncGenerator<void> {
  const parser = sax.parser(true, { trim: false, normalize: false })
  let depth = 0
  let attributes = 0
  parser.onopentagstart = () => {
    attributes = 0
    if (++depth > max.depth) throw brokenBook(`${what} of the workbook has more than ${max.depth} elements within each other.`)
  }
  parser.onattribute = () => {
    if (++attributes > max.attributes) throw brokenBook(`${what} of the workbook has an element of more than ${max.attributes} attributes.`)
  }
  parser.onopentag = ({ name, attributes }) =>
    handler.open?.(localName(name), Object.fromEntries(Object.entries(attributes).map(([key, value]) => [localName(key), String(value)])))
  parser.onclosetag = (name) => {
    depth--
    handler.close?.(localName(name))
  }
  parser.ontext = (text) => handler.text?.(text)
  parser.oncdata = (text) => handler.text?.(text)
  parser.onerror = (cause) => { throw cause }
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
    throw brokenBook(`${what} of the workbook is not well-formed XML in UTF-8.`, cause)
  }
  yield
}

/** The same for a document that is read as a whole. */
export async function readWhole(chunks: AsyncIterable<Buffer>, what: string, handler: XmlHandler): Promise<void> {
  for await (const _ of readXml(chunks, what, handler)) continue
}
