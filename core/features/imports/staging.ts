import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import type { Context } from '../../kernel/work.ts'
import { unreadable } from './encodings.ts'
import { isMostlyBroken, LineSurvey } from './encodings.survey.ts'
import { InitError, pieceBytes, type Dialect, type Pieces } from './imports.types.ts'
import { dialectOf, type Declared } from './staging.detect.ts'

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

/** What the file was declared as. Of `json` and `ndjson` it becomes the one that it turns out to be. */
export interface StageOptions extends Declared {
  organization: string
  /** Bytes past which it is refused; 256 MB unless stated. */
  limit?: number
}

/**
 * Keeps a stream in pieces of 1 MiB as it comes, at most two of them in memory, and finds out how it is written. Each
 * piece is a statement of its own: a slow sender holds no connection. What fails or breaks off leaves nothing.
 * @throws InitError IMPORT_BODY_MISSING for nothing or blanks, IMPORT_TOO_LARGE as soon as the limit is passed,
 * IMPORT_NOT_TEXT, IMPORT_NOT_A_LIST and IMPORT_FILE_BROKEN for what its beginning shows, IMPORT_ENCODING_INVALID where
 * more than one line in a hundred is not written as the rest; and what the stream throws
 */
export async function stageStream(
  { db }: Pick<Context, 'db'>, stream: AsyncIterable<Buffer>, { organization, limit = fileLimit, ...declared }: StageOptions,
): Promise<Staged> {
  const pieces = new Pieceworker(db, organization)
  const facts = new Facts(declared, limit)
  try {
    for await (const chunk of stream) {
      facts.count(chunk)
      for (const piece of pieces.fill(chunk)) {
        facts.see(piece, false)
        await pieces.keep(piece)
      }
    }
    const last = pieces.rest()
    const isEmpty = facts.dialect === undefined
    facts.see(last, true)
    if (last.length > 0 || isEmpty) await pieces.keep(last)
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
  readonly #survey = new LineSurvey()
  readonly #declared: Declared
  readonly #limit: number

  constructor(declared: Declared, limit: number) {
    this.#declared = declared
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
    this.dialect ??= dialectOf(piece, this.#declared, last)
    if (this.dialect.encoding === 'utf-8') this.#survey.see(piece, last)
  }

  finish(): { bytes: number; digest: Buffer; dialect: Dialect } {
    const { dialect } = this
    if (!dialect) throw new Error('A file without a piece has no end')
    const { result } = this.#survey
    if (isMostlyBroken(result)) {
      const { broken, lines, firstBroken } = result
      const advice = dialect.format === 'csv' ? ' Mend them, or name the encoding, as ?encoding=windows-1252.' : ' JSON is UTF-8.'
      throw unreadable(`${broken} of ${lines} lines are not UTF-8, the first of them line ${firstBroken}.${advice}`, firstBroken)
    }
    return { bytes: this.#bytes, digest: this.#digest.digest(), dialect }
  }
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
