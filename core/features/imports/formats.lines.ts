import { invalidBytes } from './encodings.survey.ts'
import { spoiledRecord } from './formats.encoding.ts'
import { faultOf, malformedAt, readItem, type Item } from './formats.items.ts'
import { recordBytes, tooLarge, Window, type PlacedRow } from './formats.rows.ts'
import type { Checkpoint } from './imports.types.ts'

const lineFeed = 0x0a

/** Rows of newline-delimited JSON; empty lines are left out, a line that is no JSON fails alone. @throws InitError */
export async function* linesOf(text: AsyncIterable<Buffer>, from: Checkpoint): AsyncGenerator<PlacedRow[]> {
  const window = new Window(from.bytes)
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
    if (window.bytes.length > recordBytes) throw tooLarge(`Line ${line}`, line)
  }
  const end = window.base + window.bytes.length
  const read = readLine(window.bytes, line)
  if (read) yield [{ line, ...read, end, next: line + 1 }]
}

function readLine(bytes: Buffer, line: number): Item | null {
  const spoiled = invalidBytes(bytes)
  if (spoiled !== undefined) return { value: null, fault: spoiledRecord(spoiled) }
  const text = bytes.toString('utf8')
  if (text.trim() === '') return null
  try {
    return readItem(text)
  } catch (cause) {
    return { value: null, fault: faultOf('malformed', `Line ${line} is no JSON value${malformedAt(cause)}.`, text) }
  }
}
