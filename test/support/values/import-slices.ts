import { openSource } from '../../../core/features/imports/formats/formats.ts'
import {
  InitError,
  pieceBytes,
  type Checkpoint,
  type Dialect,
  type Pieces,
  type SourceRow,
} from '../../../core/features/imports/records/imports.types.ts'
import { detectDialect } from '../../../core/features/imports/staging/staging.detect.ts'

export { pieceBytes }

/** The pieces of a file, as they come from where it is staged. */
export const inPieces = (bytes: Buffer): Pieces =>
  async function* pieces(from) {
    for (let at = from * pieceBytes; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
  }

export interface Read {
  dialect: Dialect
  columns: string[] | null
  rows: SourceRow[]
  places: Checkpoint[]
  failure: InitError | null
}

/** Reads a file to its end, in slices. */
export async function read(
  file: string | Buffer,
  format: Dialect['format'] = 'csv',
  { size = 2, from = null, encoding }: { size?: number; from?: Checkpoint | null; encoding?: Dialect['encoding'] } = {},
): Promise<Read> {
  const bytes = Buffer.from(file as string)
  const dialect = {
    ...detectDialect(bytes.subarray(0, pieceBytes), { format }, bytes.length < pieceBytes),
    ...(encoding && { encoding }),
  }
  const { columns, batches } = await openSource(inPieces(bytes), dialect, from)
  const rows: SourceRow[] = []
  const places: Checkpoint[] = []
  let failure: InitError | null = null
  try {
    for await (const batch of batches(size)) {
      rows.push(...batch.rows.map(({ line, value, issue }) => ({ line, value, issue })))
      places.push(batch.after)
    }
  } catch (cause) {
    if (!(cause instanceof InitError)) throw cause
    failure = cause
  }
  return { dialect, columns, rows, places, failure }
}

/** The line of each row, with its value or what is wrong with it. */
export const shortly = ({ rows }: Read) => rows.map(({ line, value, issue }) => [line, issue ? issue.code : value])
