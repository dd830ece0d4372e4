import { isUtf8 } from 'node:buffer'
import { Tokenizer, TokenType, type ParsedTokenInfo } from '@streamparser/json'
import { invalidBytes } from './encodings.survey.ts'
import { spoiledRecord } from './formats.encoding.ts'
import { malformedAt, readItem, type Item } from './formats.items.ts'
import { broken, recordBytes, tooLarge, Window, type PlacedRow } from './formats.rows.ts'
import type { Checkpoint } from './imports.types.ts'

const feed = 0x0a
const question = 0x3f

/**
 * Rows of one JSON array. The tokens of the file tell where items begin and end; the text of each is then read by
 * itself, as a member that is named twice is seen only there, so that no more than one is in memory.
 * @throws InitError for what is no array, breaks off, or has an item that is no JSON
 */
export async function* itemsOf(text: AsyncIterable<Buffer>, from: Checkpoint): AsyncGenerator<PlacedRow[]> {
  const scan = new Scan(from)
  for await (const chunk of text) {
    const rows = scan.read(chunk)
    if (rows.length > 0) yield rows
    if (scan.failure) throw scan.failure
  }
  scan.finish()
}

/** What has to come next, as a sentence tells it. `rest` is that of an item. */
const wanted = { list: '“[”', any: 'an item or “]”', item: 'an item', rest: '', comma: '“,” or “]”', end: 'its end' }

class Scan {
  /** Why nothing can be read after the rows that were found. */
  failure: Error | null = null
  readonly #window: Window
  readonly #tokens = new Tokenizer()
  /** Bytes of the text before what the tokens are counted from. */
  readonly #origin: number
  #rows: PlacedRow[] = []
  #expects: keyof typeof wanted
  /** Where the item in work begins, in the text, or else what follows the last token: a text is told of when it ends. */
  #start: number
  #depth = 0
  #index: number
  /** The physical line of a place in the text. */
  #line: number
  #counted: number

  constructor({ rows, line, bytes }: Checkpoint) {
    this.#window = new Window(bytes)
    this.#origin = bytes
    this.#counted = bytes
    this.#start = bytes
    this.#expects = bytes === 0 ? 'list' : 'comma'
    this.#index = rows
    this.#line = line
    this.#tokens.onToken = (token) => { if (!this.failure) this.#take(token) }
    this.#tokens.onError = (cause) => { this.failure ??= this.#unreadable(cause) }
  }

  /** @returns the rows that end in this chunk, also before a failure */
  read(chunk: Buffer): PlacedRow[] {
    const window = this.#window
    window.add(chunk)
    this.#rows = []
    this.#tokens.write(isUtf8(chunk) ? chunk : plainOf(chunk))
    const end = window.base + window.bytes.length
    this.#countTo(this.#start)
    if (!this.failure && end - this.#start > recordBytes) this.failure = tooLarge(`Item ${this.#index}`, this.#index)
    window.cut(this.#start)
    return this.#rows
  }

  finish(): void {
    if (this.#expects === 'end') return
    throw broken(`The file ends, on line ${this.#line}, before its list does: it seems to be cut off.`, this.#index)
  }

  #take({ token, value, offset }: ParsedTokenInfo): void {
    const at = this.#origin + offset
    if (this.#expects === 'rest') return this.#within(token, value, at)
    this.#start = at + 1
    if (this.#expects === 'list' && token === TokenType.LEFT_BRACKET) this.#expects = 'any'
    else if (this.#expects === 'comma' && token === TokenType.COMMA) this.#expects = 'item'
    else if (this.#ends(token)) this.#expects = 'end'
    else if ((this.#expects === 'any' || this.#expects === 'item') && !outside.has(token)) this.#begin(token, at)
    else this.#refuse(String(value), at)
  }

  #ends(token: TokenType): boolean {
    return token === TokenType.RIGHT_BRACKET && (this.#expects === 'any' || this.#expects === 'comma')
  }

  #begin(token: TokenType, at: number): void {
    this.#expects = 'rest'
    this.#start = at
    this.#depth = opening.has(token) ? 1 : 0
  }

  #within(token: TokenType, value: unknown, at: number): void {
    if (opening.has(token)) this.#depth++
    else if (closing.has(token) && this.#depth > 0) {
      if (--this.#depth === 0) this.#end(at + 1)
    } else if (this.#depth === 0) {
      // Of a number, a word or a text: what comes after it tells that it has ended, and is not of it.
      this.#end(at)
      if (this.failure) return
      this.#start = at + 1
      if (token === TokenType.COMMA) this.#expects = 'item'
      else if (token === TokenType.RIGHT_BRACKET) this.#expects = 'end'
      else this.#refuse(String(value), at)
    }
  }

  #end(end: number): void {
    this.#countTo(end)
    const index = this.#index++
    this.#expects = 'comma'
    const start = this.#start
    this.#start = end
    const item = this.#parse(this.#window.part(start, end), index)
    if (item) this.#rows.push({ line: index, ...item, end, next: this.#line })
  }

  #parse(bytes: Buffer, index: number): Item | null {
    const spoiled = invalidBytes(bytes)
    if (spoiled !== undefined) return { value: null, fault: spoiledRecord(spoiled) }
    try {
      return readItem(bytes.toString('utf8'))
    } catch (cause) {
      const which = `Item ${index}, which ends on line ${this.#line},`
      this.failure = broken(`${which} is not well-formed JSON${malformedAt(cause)}.`, index)
      return null
    }
  }

  #refuse(found: string, at: number): void {
    this.#countTo(at)
    const told = found.length > 20 ? 'something else' : `“${found}”`
    const message = `On line ${this.#line} the file has ${told} where a list of JSON has ${wanted[this.#expects]}.`
    this.failure = broken(message, this.#index)
  }

  #unreadable(cause: Error): Error {
    const { bytes, base } = this.#window
    this.#countTo(base + bytes.length)
    const where = this.#expects === 'rest' ? `Item ${this.#index}` : 'The file'
    const message = `${where} is not well-formed JSON on line ${this.#line} or shortly before.`
    return Object.assign(broken(message, this.#index), { cause })
  }

  /** Brings the line up to a place in the window; nothing that lies before is counted again. */
  #countTo(place: number): void {
    const { bytes, base } = this.#window
    const end = place - base
    for (let at = bytes.indexOf(feed, this.#counted - base); at !== -1 && at < end; at = bytes.indexOf(feed, at + 1)) {
      this.#line++
    }
    this.#counted = Math.max(place, this.#counted)
  }
}

/** The same structure, byte by byte, in ASCII: tokens count bytes, and bytes that are no text would lead them astray. */
const plainOf = (chunk: Buffer) => Buffer.from(chunk.map((byte) => (byte < 0x80 ? byte : question)))

const opening = new Set<TokenType>([TokenType.LEFT_BRACE, TokenType.LEFT_BRACKET])
const closing = new Set<TokenType>([TokenType.RIGHT_BRACE, TokenType.RIGHT_BRACKET])
/** What no item begins with. */
const outside = new Set<TokenType>([...closing, TokenType.COLON, TokenType.COMMA, TokenType.SEPARATOR])
