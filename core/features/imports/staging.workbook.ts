import { createHash } from 'node:crypto'
import type { Context } from '../../kernel/work.ts'
import { InitError } from './imports.types.ts'
import { refuseForeign } from './staging.detect.ts'
import { stageStream, type Staged, type StageOptions } from './staging.ts'
import { openWorkbook, workbookLimit } from './workbook/workbook.ts'

const zip = Buffer.from('PK', 'latin1')

/**
 * Keeps a sheet of an Excel workbook as lines of JSON: whoever reads it needs neither the workbook nor its memory.
 * @throws InitError IMPORT_BODY_MISSING, IMPORT_TOO_LARGE, IMPORT_NOT_TEXT, IMPORT_WORKBOOK_BROKEN, IMPORT_SHEET_MISSING
 */
export async function stageWorkbook(
  context: Pick<Context, 'db'>, stream: AsyncIterable<Buffer>, { sheet, ...options }: StageOptions,
): Promise<Staged> {
  const bytes = await collected(stream)
  if (bytes.length === 0) throw new InitError('IMPORT_BODY_MISSING', 'The file is empty.')
  if (!bytes.subarray(0, 2).equals(zip)) {
    refuseForeign(bytes)
    throw new InitError('IMPORT_NOT_TEXT', 'The file is no Excel workbook, though it was sent as one.')
  }
  const { name, lines, warnings } = await openWorkbook(bytes, sheet)
  const staged = await stageStream(context, lines, { ...options, format: 'xlsx' })
  const told = warnings()
  return {
    ...staged, digest: createHash('sha256').update(bytes).digest(),
    dialect: { ...staged.dialect, sheet: name.slice(0, 200).replaceAll('\0', '').toWellFormed(), ...(told.length > 0 && { warnings: told }) },
  }
}

async function collected(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > workbookLimit) throw new InitError('IMPORT_TOO_LARGE', `A workbook has at most ${workbookLimit} bytes. Save it as CSV, and send that.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
