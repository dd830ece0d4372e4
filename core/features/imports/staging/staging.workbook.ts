import { createHash } from 'node:crypto'
import type { Context } from '../../../kernel/work.ts'
import { InitError } from '../records/index.ts'
import { assertNoForeignFormat } from './staging.detect.ts'
import { stageStream, type StagedFile, type StageOptions } from './staging.ts'
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
  { sheet, ...options }: StageOptions,
): Promise<StagedFile> {
  const bytes = await collectBytes(stream)
  if (bytes.length === 0) throw new InitError('IMPORT_BODY_MISSING', 'The file is empty.')
  if (!bytes.subarray(0, 2).equals(zipMark)) {
    assertNoForeignFormat(bytes)
    throw new InitError('IMPORT_NOT_TEXT', 'The file is no Excel workbook, though it was sent as one.')
  }
  const { name, lines, warnings } = await openWorkbook(bytes, sheet)
  const staged = await stageStream(context, lines, { ...options, format: 'xlsx' })
  const workbookWarnings = warnings()
  return {
    ...staged,
    digest: createHash('sha256').update(bytes).digest(),
    dialect: {
      ...staged.dialect,
      sheet: name.slice(0, 200).replaceAll('\0', '').toWellFormed(),
      ...(workbookWarnings.length > 0 && { warnings: workbookWarnings }),
    },
  }
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
