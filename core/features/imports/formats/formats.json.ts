import { isUtf8 } from 'node:buffer'
import { Tokenizer, TokenType, type ParsedTokenInfo } from '@streamparser/json'
import { type Checkpoint, findInvalidBytes } from '../records/index.ts'
import { createInvalidRecordIssue } from './formats.encoding.ts'
import { formatMalformedPlace, parseItem, type JsonItem } from './formats.items.ts'
import {
  createBrokenFileError,
  maxRecordBytes,
  createRecordSizeError,
  TextWindow,
  type PlacedRow,
} from './formats.rows.ts'

const lineFeed = 0x0a
const questionMark = 0x3f

/**
 * Yields the rows of one JSON array. The tokens of the file show where items begin and end. The text of each item is
 * then parsed by itself, because only that reveals duplicate member names; no more than one item is in memory at a
 * time.
 * @throws InitError if the text is not an array, breaks off, or has an item that is not JSON
 */
export async function* readItems(text: AsyncIterable<Buffer>, from: Checkpoint): AsyncGenerator<PlacedRow[]> {
  const scan = new ArrayScanner(from)
  for await (const chunk of text) {
    const rows = scan.read(chunk)
    if (rows.length > 0) yield rows
    if (scan.failure) throw scan.failure
  }
  scan.finish()
}

/** The phrases for messages that say what has to come next. `rest` is the rest of an item. */
const expectations = {
  list: '“[”',
  any: 'an item or “]”',
  item: 'an item',
  rest: '',
  comma: '“,” or “]”',
  end: 'its end',
}

class ArrayScanner {
  /** Why nothing can be read after the rows that were found. */
  failure: Error | null = null
  readonly #window: TextWindow
  readonly #tokens = new Tokenizer()
  /** The place in the text from which the offsets of tokens are counted, in bytes. */
  readonly #origin: number
  #rows: PlacedRow[] = []
  #expects: keyof typeof expectations
  /**
   * The place in the text where the current item begins; between items, the place after the last token, because a
   * string is reported only when it ends.
   */
  #start: number
  #depth = 0
  #index: number
  /** The physical line at the place `#countedBytes` of the text. */
  #line: number
  #countedBytes: number

  constructor({ rows, line, bytes }: Checkpoint) {
    this.#window = new TextWindow(bytes)
    this.#origin = bytes
    this.#countedBytes = bytes
    this.#start = bytes
    this.#expects = bytes === 0 ? 'list' : 'comma'
    this.#index = rows
    this.#line = line
    this.#tokens.onToken = (token) => {
      if (!this.failure) this.#takeToken(token)
    }
    this.#tokens.onError = (cause) => {
      this.failure ??= this.#createMalformedError(cause)
    }
  }

  /** @returns the rows that end in this chunk, including those before a failure */
  read(chunk: Buffer): PlacedRow[] {
    const window = this.#window
    window.add(chunk)
    this.#rows = []
    this.#tokens.write(isUtf8(chunk) ? chunk : toAscii(chunk))
    const end = window.base + window.bytes.length
    this.#countLinesTo(this.#start)
    if (!this.failure && end - this.#start > maxRecordBytes)
      this.failure = createRecordSizeError(`Item ${this.#index}`, this.#index)
    window.cut(this.#start)
    return this.#rows
  }

  finish(): void {
    if (this.#expects === 'end') return
    throw createBrokenFileError(
      `The file ends, on line ${this.#line}, before its list does: it seems to be cut off.`,
      this.#index,
    )
  }

  #takeToken({ token, value, offset }: ParsedTokenInfo): void {
    const at = this.#origin + offset
    if (this.#expects === 'rest') return this.#takeItemToken(token, value, at)
    this.#start = at + 1
    if (this.#expects === 'list' && token === TokenType.LEFT_BRACKET) this.#expects = 'any'
    else if (this.#expects === 'comma' && token === TokenType.COMMA) this.#expects = 'item'
    else if (this.#endsList(token)) this.#expects = 'end'
    else if ((this.#expects === 'any' || this.#expects === 'item') && !nonItemTokens.has(token))
      this.#beginItem(token, at)
    else this.#refuseToken(String(value), at)
  }

  #endsList(token: TokenType): boolean {
    return token === TokenType.RIGHT_BRACKET && (this.#expects === 'any' || this.#expects === 'comma')
  }

  #beginItem(token: TokenType, at: number): void {
    this.#expects = 'rest'
    this.#start = at
    this.#depth = openingTokens.has(token) ? 1 : 0
  }

  #takeItemToken(token: TokenType, value: unknown, at: number): void {
    if (openingTokens.has(token)) this.#depth++
    else if (closingTokens.has(token) && this.#depth > 0) {
      if (--this.#depth === 0) this.#endItem(at + 1)
    } else if (this.#depth === 0) {
      // The token after a number, a word or a string shows that the item has ended; it is not part of the item.
      this.#endItem(at)
      if (this.failure) return
      this.#start = at + 1
      if (token === TokenType.COMMA) this.#expects = 'item'
      else if (token === TokenType.RIGHT_BRACKET) this.#expects = 'end'
      else this.#refuseToken(String(value), at)
    }
  }

  #endItem(end: number): void {
    this.#countLinesTo(end)
    const index = this.#index++
    this.#expects = 'comma'
    const start = this.#start
    this.#start = end
    const item = this.#parseItemBytes(this.#window.getBytes(start, end), index)
    if (item) this.#rows.push({ line: index, ...item, end, next: this.#line })
  }

  #parseItemBytes(bytes: Buffer, index: number): JsonItem | null {
    const spoiled = findInvalidBytes(bytes)
    if (spoiled !== undefined) return { value: null, issue: createInvalidRecordIssue(spoiled) }
    try {
      return parseItem(bytes.toString('utf8'))
    } catch (cause) {
      const which = `Item ${index}, which ends on line ${this.#line},`
      this.failure = createBrokenFileError(`${which} is not well-formed JSON${formatMalformedPlace(cause)}.`, index)
      return null
    }
  }

  #refuseToken(found: string, at: number): void {
    this.#countLinesTo(at)
    const shownToken = found.length > 20 ? 'something else' : `“${found}”`
    const message = `On line ${this.#line} the file has ${shownToken} where a list of JSON has ${expectations[this.#expects]}.`
    this.failure = createBrokenFileError(message, this.#index)
  }

  #createMalformedError(cause: Error): Error {
    const { bytes, base } = this.#window
    this.#countLinesTo(base + bytes.length)
    const where = this.#expects === 'rest' ? `Item ${this.#index}` : 'The file'
    const message = `${where} is not well-formed JSON on line ${this.#line} or shortly before.`
    return Object.assign(createBrokenFileError(message, this.#index), { cause })
  }

  /** Counts the lines up to a place in the window; what lies before `#countedBytes` is not counted again. */
  #countLinesTo(place: number): void {
    const { bytes, base } = this.#window
    const end = place - base
    for (
      let at = bytes.indexOf(lineFeed, this.#countedBytes - base);
      at !== -1 && at < end;
      at = bytes.indexOf(lineFeed, at + 1)
    ) {
      this.#line++
    }
    this.#countedBytes = Math.max(place, this.#countedBytes)
  }
}

/**
 * Replaces every byte that is not ASCII by a question mark, which keeps the structure: tokens count bytes, and bytes
 * that are not text would falsify their offsets.
 */
const toAscii = (chunk: Buffer) => Buffer.from(chunk.map((byte) => (byte < 0x80 ? byte : questionMark)))

const openingTokens = new Set<TokenType>([TokenType.LEFT_BRACE, TokenType.LEFT_BRACKET])
const closingTokens = new Set<TokenType>([TokenType.RIGHT_BRACE, TokenType.RIGHT_BRACKET])
/** The tokens that no item begins with. */
const nonItemTokens = new Set<TokenType>([...closingTokens, TokenType.COLON, TokenType.COMMA, TokenType.SEPARATOR])
