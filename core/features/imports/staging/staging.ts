import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { Context } from '../../../kernel/work.ts'
import type { OrganizationErasure } from '../../area.ts'
import {
  createEncodingError,
  type Dialect,
  InitError,
  isMostlyBroken,
  LineSurvey,
  pieceBytes,
  type Pieces,
} from '../records/index.ts'
import { detectDialect, type FileDeclaration } from './staging.detect.ts'

/** The maximum size of a file to import, unpacked: 256 MB. */
export const maxFileBytes = 256 * 1024 * 1024

/** A file that was staged. */
export interface StagedFile {
  /** The id of its row in `import_uploads`. */
  upload: string
  bytes: number
  /** The SHA-256 digest of its bytes. */
  digest: Buffer
  dialect: Dialect
}

/** How the file was declared. A declared `json` or `ndjson` is replaced by the one of them that is detected. */
export interface StageOptions extends FileDeclaration {
  organization: string
  /** The maximum size in bytes; 256 MB if undefined. */
  maxBytes?: number
}

/**
 * Stages a stream in pieces of 1 MiB as it arrives, with at most two pieces in memory, and detects how it is written.
 * Each piece is inserted by a statement of its own, so a slow sender holds no connection. A stream that fails or breaks
 * off leaves nothing.
 * @throws InitError IMPORT_BODY_MISSING if there is nothing or only blanks, IMPORT_TOO_LARGE as soon as the limit is
 * passed, IMPORT_NOT_TEXT, IMPORT_NOT_A_LIST and IMPORT_FILE_BROKEN for what its beginning shows,
 * IMPORT_ENCODING_INVALID if more than one line in a hundred is not in the encoding of the rest; and what the stream
 * throws
 */
export async function stageStream(
  { db }: Pick<Context, 'db'>,
  stream: AsyncIterable<Buffer>,
  { organization, maxBytes = maxFileBytes, ...declared }: StageOptions,
): Promise<StagedFile> {
  const pieces = new PieceWriter(db, organization)
  const facts = new FileFacts(declared, maxBytes)
  try {
    for await (const chunk of stream) {
      facts.addChunk(chunk)
      for (const piece of pieces.fill(chunk)) {
        facts.inspectPiece(piece, false)
        await pieces.insertPiece(piece)
      }
    }
    const last = pieces.takeRest()
    const isEmpty = facts.dialect === undefined
    facts.inspectPiece(last, true)
    if (last.length > 0 || isEmpty) await pieces.insertPiece(last)
    return await pieces.finish(facts)
  } catch (cause) {
    // The upkeep deletes what cannot be deleted now; the first error matters more.
    await pieces.discard().catch(() => undefined)
    throw cause
  }
}

/** A writer that cuts a stream into pieces and inserts them; one piece is being inserted while the next one fills. */
class PieceWriter {
  readonly #upload = newId()
  readonly #db: Knex
  readonly #organization: string
  #chunks: Buffer[] = []
  #filledBytes = 0
  #count = 0
  #pendingInsert: Promise<unknown> = Promise.resolve()

  constructor(db: Knex, organization: string) {
    this.#db = db
    this.#organization = organization
  }

  /** @returns the pieces that are full now */
  *fill(chunk: Buffer): Generator<Buffer> {
    for (let rest = chunk; rest.length > 0;) {
      const part = rest.subarray(0, pieceBytes - this.#filledBytes)
      rest = rest.subarray(part.length)
      this.#chunks.push(part)
      this.#filledBytes += part.length
      if (this.#filledBytes === pieceBytes) yield this.takeRest()
    }
  }

  /** Returns the bytes that are in no piece yet. */
  takeRest(): Buffer {
    const bytes = Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#filledBytes = 0
    return bytes
  }

  /** Inserts a piece when the piece before it has been inserted. */
  async insertPiece(piece: Buffer): Promise<void> {
    if (this.#count === 0)
      await this.#db('import_uploads').insert({ id: this.#upload, organization: this.#organization })
    await this.#pendingInsert
    const row = { upload: this.#upload, place: this.#count++, bytes: piece }
    this.#pendingInsert = this.#db('import_pieces').insert(row).then()
    this.#pendingInsert.catch(() => undefined)
  }

  async finish(facts: FileFacts): Promise<StagedFile> {
    await this.#pendingInsert
    const { bytes, dialect, digest } = facts.finish()
    await this.#db('import_uploads').where('id', this.#upload).update({ bytes })
    return { upload: this.#upload, bytes, digest, dialect }
  }

  async discard(): Promise<void> {
    await this.#pendingInsert.catch(() => undefined)
    if (this.#count > 0) await deleteUpload(this.#db, this.#upload)
  }
}

/** What is found out about a file while it arrives. */
class FileFacts {
  dialect: Dialect | undefined
  #bytes = 0
  readonly #digest = createHash('sha256')
  readonly #survey = new LineSurvey()
  readonly #declared: FileDeclaration
  readonly #limit: number

  constructor(declared: FileDeclaration, limit: number) {
    this.#declared = declared
    this.#limit = limit
  }

  addChunk(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#limit) {
      throw new InitError('IMPORT_TOO_LARGE', `The file has more than ${this.#limit} bytes, unpacked.`)
    }
    this.#digest.update(chunk)
  }

  inspectPiece(piece: Buffer, last: boolean): void {
    this.dialect ??= detectDialect(piece, this.#declared, last)
    if (this.dialect.encoding === 'utf-8') this.#survey.inspectPiece(piece, last)
  }

  finish(): { bytes: number; digest: Buffer; dialect: Dialect } {
    const { dialect } = this
    if (!dialect) throw new Error('A file without a piece has no end')
    const { result } = this.#survey
    if (isMostlyBroken(result)) {
      const { broken, lines, firstBroken } = result
      const advice =
        dialect.format === 'csv' ? ' Mend them, or name the encoding, as ?encoding=windows-1252.' : ' JSON is UTF-8.'
      throw createEncodingError(
        `${broken} of ${lines} lines are not UTF-8, the first of them line ${firstBroken}.${advice}`,
        firstBroken,
      )
    }
    return { bytes: this.#bytes, digest: this.#digest.digest(), dialect }
  }
}

/**
 * The number of bytes of a piece that are read at a time: the driver holds them several times over before they are a
 * buffer.
 */
const partBytes = 128 * 1024
const partsPerPiece = pieceBytes / partBytes

/** Opens the pieces of a staged file. They are read in parts; the next part is read while one is worked on. */
export function openPieces(db: Knex, upload: string): Pieces {
  const read = async (part: number): Promise<Buffer | undefined> => {
    const place = Math.floor(part / partsPerPiece)
    const first = (part % partsPerPiece) * partBytes + 1
    const {
      rows: [found],
    } = await db.raw<{ rows: { bytes: Buffer }[] }>(
      'select substring(bytes from ? for ?) as bytes from import_pieces where upload = ? and place = ?',
      [first, partBytes, upload, place],
    )
    return found?.bytes
  }
  return async function* pieces(from) {
    let next = read(from * partsPerPiece)
    for (let part = from * partsPerPiece; ; part++) {
      const bytes = await next
      if (bytes === undefined) return
      next = read(part + 1)
      next.catch(() => undefined)
      if (bytes.length > 0) yield bytes
    }
  }
}

/** Deletes a staged file with its pieces, unless an import has the file. Does nothing if the file is gone already. */
export async function deleteUpload(db: Knex, upload: string): Promise<void> {
  await db('import_uploads').where({ id: upload, job: null }).delete()
}

/**
 * Deletes files that no import will read: files without an import after an hour, for example of a process that died
 * while it received them, and files of ended imports.
 */
export async function deleteStaleUploads({ db }: Pick<Context, 'db'>): Promise<void> {
  await db.raw(`delete from import_uploads where job is null and created_at < now() - interval '1 hour'`)
  await db.raw(`delete from import_uploads using jobs where jobs.id = import_uploads.job and jobs.status <> 'pending'`)
}

/** Deletes the staged files of a deleted organization, one at a time, because each may be large. */
export const eraseUploads: OrganizationErasure = ({ organization, runStep }) =>
  runStep(async (trx) => {
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      'delete from import_uploads where id = (select id from import_uploads where organization = ? limit 1)',
      [organization],
    )
    return rowCount
  })
