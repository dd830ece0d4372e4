import { createHash } from 'node:crypto'
import type { Context } from '../../../kernel/work.ts'
import { InitError } from '../records/index.ts'
import { assertNoForeignFormat } from './staging.detect.ts'
import { maxFileBytes, stageStream, type StagedFile, type StageOptions } from './staging.ts'
import { maxWorkbookBytes, openWorkbook } from '../formats/index.ts'

const zipMark = Buffer.from('PK', 'latin1')

/**
 * Stages a sheet of an Excel workbook as lines of JSON, so that readers need neither the workbook nor the memory for
 * it.
 * @throws InitError IMPORT_BODY_MISSING, IMPORT_TOO_LARGE, IMPORT_NOT_TEXT, IMPORT_WORKBOOK_BROKEN,
 * IMPORT_SHEET_MISSING
 */
export async function stageWorkbook(
  context: Pick<Context, 'db'>,
  stream: AsyncIterable<Buffer>,
  options: StageOptions,
): Promise<StagedFile> {
  return (await stageSheet(context, await readWorkbook(stream), options)).staged
}

/** The most sheets of a workbook that are staged for a choice. */
const maxSheets = 10

/**
 * Stages the sheets of a workbook that are shown, for somebody to choose from: the first one first. Sheets without a cell,
 * and those that would make all of them larger than one file may be, are left out.
 * @throws InitError as `stageWorkbook` does for the first sheet
 */
export async function stageWorkbookSheets(
  context: Pick<Context, 'db'>,
  stream: AsyncIterable<Buffer>,
  options: StageOptions,
): Promise<StagedFile[]> {
  const bytes = await readWorkbook(stream)
  const { staged: first, others } = await stageSheet(context, bytes, options)
  const all = [first]
  for (const sheet of others.slice(0, maxSheets - 1)) {
    const maxBytes = maxFileBytes - all.reduce((sum, one) => sum + one.bytes, 0)
    try {
      all.push((await stageSheet(context, bytes, { ...options, sheet, maxBytes })).staged)
    } catch (cause) {
      if (!(cause instanceof InitError)) throw cause
    }
  }
  return all
}

async function readWorkbook(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const bytes = await collectBytes(stream)
  if (bytes.length === 0) throw new InitError('IMPORT_BODY_MISSING', 'The file is empty.')
  if (bytes.subarray(0, 2).equals(zipMark)) return bytes
  assertNoForeignFormat(bytes)
  throw new InitError('IMPORT_NOT_TEXT', 'The file is no Excel workbook, though it was sent as one.')
}

async function stageSheet(
  context: Pick<Context, 'db'>,
  bytes: Buffer,
  { sheet, ...options }: StageOptions,
): Promise<{ staged: StagedFile; others: readonly string[] }> {
  const { name, others, lines, warnings } = await openWorkbook(bytes, sheet)
  const staged = await stageStream(context, lines, { ...options, format: 'xlsx' })
  const workbookWarnings = warnings()
  const dialect = {
    ...staged.dialect,
    sheet: name.slice(0, 200).replaceAll('\0', '').toWellFormed(),
    ...(workbookWarnings.length > 0 && { warnings: workbookWarnings }),
  }
  return { staged: { ...staged, digest: createHash('sha256').update(bytes).digest(), dialect }, others }
}

async function collectBytes(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > maxWorkbookBytes)
      throw new InitError(
        'IMPORT_TOO_LARGE',
        `A workbook has at most ${maxWorkbookBytes} bytes. Save it as CSV, and send that.`,
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
