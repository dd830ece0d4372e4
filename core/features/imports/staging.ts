import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import type { Context } from '../../kernel/work.ts'
import { InitError, pieceBytes, type Dialect, type Pieces } from './imports.types.ts'
import { dialectOf, type Format } from './staging.detect.ts'

/** Bytes of a file to import, unpacked: 256 MB. */
export const fileLimit = 256 * 1024 * 1024

/** A file as it was kept. */
export interface Staged {
  /** Its row in `import_uploads`. */
  upload: string
  bytes: number
  /** SHA-256 of its bytes. */
  digest: Buffer
  dialect: Dialect
}

export interface StageOptions {
  organization: string
  /** What the file was declared as. Of `json` and `ndjson` it becomes the one that it turns out to be. */
  format: Format
  /** Bytes past which it is refused; 256 MB unless stated. */
  limit?: number
}

/**
 * Keeps a stream in pieces of 1 MiB as it comes, at most two of them in memory, and finds out how it is written. Each
 * piece is a statement of its own: a slow sender holds no connection. What fails or breaks off leaves nothing.
 * @throws InitError IMPORT_BODY_MISSING for nothing or blanks, IMPORT_TOO_LARGE as soon as the limit is passed,
 * IMPORT_NOT_TEXT, IMPORT_NOT_A_LIST and IMPORT_FILE_BROKEN for what its beginning shows; and what the stream throws
 */
export async function stageStream(
  { db }: Pick<Context, 'db'>, stream: AsyncIterable<Buffer>, { organization, format, limit = fileLimit }: StageOptions,
): Promise<Staged> {
  const pieces = new Pieceworker(db, organization)
  const facts = new Facts(format, limit)
  try {
    for await (const chunk of stream) {
      facts.count(chunk)
      for (const piece of pieces.fill(chunk)) {
        facts.see(piece, false)
        await pieces.keep(piece)
      }
    }
    const last = pieces.rest()
    if (last.length > 0 || !facts.dialect) {
      facts.see(last, true)
      await pieces.keep(last)
    }
    return await pieces.finish(facts)
  } catch (cause) {
    // What cannot be removed now the upkeep removes; why it was refused matters more.
    await pieces.discard().catch(() => undefined)
    throw cause
  }
}

/** Cuts a stream into pieces and writes them, one on its way while the next one fills. */
class Pieceworker {
  readonly #upload = newId()
  readonly #db: Knex
  readonly #organization: string
  #chunks: Buffer[] = []
  #filled = 0
  #count = 0
  #onTheWay: Promise<unknown> = Promise.resolve()

  constructor(db: Knex, organization: string) {
    this.#db = db
    this.#organization = organization
  }

  /** @returns pieces that are full now */
  *fill(chunk: Buffer): Generator<Buffer> {
    for (let rest = chunk; rest.length > 0;) {
      const part = rest.subarray(0, pieceBytes - this.#filled)
      rest = rest.subarray(part.length)
      this.#chunks.push(part)
      this.#filled += part.length
      if (this.#filled === pieceBytes) yield this.rest()
    }
  }

  /** What no piece was made of yet. */
  rest(): Buffer {
    const bytes = Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#filled = 0
    return bytes
  }

  /** Waits for the piece before this one. */
  async keep(piece: Buffer): Promise<void> {
    if (this.#count === 0) await this.#db('import_uploads').insert({ id: this.#upload, organization: this.#organization })
    await this.#onTheWay
    const row = { upload: this.#upload, place: this.#count++, bytes: piece }
    this.#onTheWay = this.#db('import_pieces').insert(row).then()
    this.#onTheWay.catch(() => undefined)
  }

  async finish(facts: Facts): Promise<Staged> {
    await this.#onTheWay
    const { bytes, dialect, digest } = facts.finish()
    await this.#db('import_uploads').where('id', this.#upload).update({ bytes })
    return { upload: this.#upload, bytes, digest, dialect }
  }

  async discard(): Promise<void> {
    await this.#onTheWay.catch(() => undefined)
    if (this.#count > 0) await discardUpload(this.#db, this.#upload)
  }
}

/** What is found out about a file while it passes. */
class Facts {
  dialect: Dialect | undefined
  #bytes = 0
  readonly #digest = createHash('sha256')
  #utf8 = true
  #carried = Buffer.alloc(0)
  readonly #format: Format
  readonly #limit: number

  constructor(format: Format, limit: number) {
    this.#format = format
    this.#limit = limit
  }

  count(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#limit) {
      throw new InitError('IMPORT_TOO_LARGE', `The file has more than ${this.#limit} bytes, unpacked.`)
    }
    this.#digest.update(chunk)
  }

  see(piece: Buffer, last: boolean): void {
    this.dialect ??= dialectOf(piece, this.#format, last)
    if (!this.#utf8 || this.dialect.encoding !== 'utf-8') return
    const bytes = this.#carried.length > 0 ? Buffer.concat([this.#carried, piece]) : piece
    const end = last ? bytes.length : bytes.length - cutCharacter(bytes)
    this.#utf8 = isUtf8(bytes.subarray(0, end))
    this.#carried = Buffer.from(bytes.subarray(end))
  }

  finish(): { bytes: number; digest: Buffer; dialect: Dialect } {
    const { dialect } = this
    if (!dialect) throw new Error('A file without a piece has no end')
    const utf8 = this.#utf8 && this.#carried.length === 0
    const encoding = dialect.encoding === 'utf-8' && !utf8 && !dialect.bom ? 'windows-1252' : dialect.encoding
    return { bytes: this.#bytes, digest: this.#digest.digest(), dialect: { ...dialect, encoding } }
  }
}

/** Bytes at the end that are the beginning of a character. Source: RFC 3629, section 3. */
function cutCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}

/** Bytes of a piece that are read at once: the driver holds each several times over before it is a buffer. */
const partBytes = 128 * 1024
const partsOfPiece = pieceBytes / partBytes

/** The pieces of a staged file, in parts; the next one is read while one is worked on. */
export function stagedPieces(db: Knex, upload: string): Pieces {
  const read = async (part: number): Promise<Buffer | undefined> => {
    const place = Math.floor(part / partsOfPiece)
    const first = (part % partsOfPiece) * partBytes + 1
    const { rows: [found] } = await db.raw<{ rows: { bytes: Buffer }[] }>(
      'select substring(bytes from ? for ?) as bytes from import_pieces where upload = ? and place = ?',
      [first, partBytes, upload, place])
    return found?.bytes
  }
  return async function* pieces(from) {
    let next = read(from * partsOfPiece)
    for (let part = from * partsOfPiece; ; part++) {
      const bytes = await next
      if (bytes === undefined) return
      next = read(part + 1)
      next.catch(() => undefined)
      if (bytes.length > 0) yield bytes
    }
  }
}

/** Removes a staged file with its pieces, unless an import has it. One that is gone already is no error. */
export async function discardUpload(db: Knex, upload: string): Promise<void> {
  await db('import_uploads').where({ id: upload, job: null }).delete()
}

/** Removes files that nobody imports: those of a process that died while it received them, and those of ended imports. */
export async function sweepUploads({ db }: Pick<Context, 'db'>): Promise<void> {
  await db.raw(`delete from import_uploads where job is null and created_at < now() - interval '1 hour'`)
  await db.raw(`delete from import_uploads using jobs where jobs.id = import_uploads.job and jobs.status <> 'pending'`)
}
