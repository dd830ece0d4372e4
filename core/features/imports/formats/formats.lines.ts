import { type Checkpoint, findInvalidBytes } from '../records/index.ts'
import { createInvalidRecordIssue } from './formats.encoding.ts'
import { createRowIssue, formatMalformedPlace, parseItem, type JsonItem } from './formats.items.ts'
import { maxRecordBytes, createRecordSizeError, TextWindow, type PlacedRow } from './formats.rows.ts'

const lineFeed = 0x0a

/**
 * Yields the rows of newline-delimited JSON. Empty lines are left out; a line that is not JSON fails alone.
 * @throws InitError
 */
export async function* readLines(text: AsyncIterable<Buffer>, from: Checkpoint): AsyncGenerator<PlacedRow[]> {
  const window = new TextWindow(from.bytes)
  let line = from.line
  for await (const chunk of text) {
    const seen = window.bytes.length
    window.add(chunk)
    const { bytes, base } = window
    const rows: PlacedRow[] = []
    let start = 0
    for (let end = bytes.indexOf(lineFeed, seen); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      const read = readLine(bytes.subarray(start, end), line)
      start = end + 1
      if (read) rows.push({ line, ...read, end: base + start, next: line + 1 })
      line++
    }
    window.cut(base + start)
    if (rows.length > 0) yield rows
    if (window.bytes.length > maxRecordBytes) throw createRecordSizeError(`Line ${line}`, line)
  }
  const end = window.base + window.bytes.length
  const read = readLine(window.bytes, line)
  if (read) yield [{ line, ...read, end, next: line + 1 }]
}

function readLine(bytes: Buffer, line: number): JsonItem | null {
  const spoiled = findInvalidBytes(bytes)
  if (spoiled !== undefined) return { value: null, issue: createInvalidRecordIssue(spoiled) }
  const text = bytes.toString('utf8')
  if (text.trim() === '') return null
  try {
    return parseItem(text)
  } catch (cause) {
    return {
      value: null,
      issue: createRowIssue('malformed', `Line ${line} is no JSON value${formatMalformedPlace(cause)}.`, text),
    }
  }
}
