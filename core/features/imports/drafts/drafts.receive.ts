import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createProblem } from '../../../kernel/problem.ts'
import type { ReceivedUpload, Upload } from '../../../kernel/upload.ts'
import type { Context } from '../../../kernel/work.ts'
import { cleanFileName, getDeclaredFormat, openTextFile, runWithinUploadLimits, stageSheets } from '../intake/index.ts'
import type { StagedFile } from '../staging/index.ts'

export interface ReceivedDraft extends ReceivedUpload {
  staged: StagedFile
  /** The sheets of a workbook that can be chosen from, the staged one first. */
  sheets: readonly StagedFile[]
  fileName: string | null
}

interface ReceiveDraftOptions {
  context: Context
  caller: OrganizationCaller
  upload: Pick<Upload, 'openFile'>
}

/**
 * Receives the file of a page's form and stages it like a file that is sent to the API.
 * @throws IMPORT_BODY_MISSING, UNSUPPORTED_MEDIA_TYPE, IMPORT_TOO_LARGE, IMPORT_ROW_CAP_EXCEEDED, RATE_LIMITED, and
 * InitError for the size of the file and for what its beginning shows
 */
export const receiveDraft = (options: ReceiveDraftOptions): Promise<ReceivedDraft> =>
  runWithinUploadLimits(options.context.db, options.caller, () => receiveDraftFile(options))

async function receiveDraftFile({
  context,
  caller: { organization },
  upload,
}: ReceiveDraftOptions): Promise<ReceivedDraft> {
  const sent = await upload.openFile()
  if (!sent) throw createProblem('IMPORT_BODY_MISSING', 'Choose a file first.')
  const { sheets, discard } = await stageSheets(context, sent, {
    organization,
    format: getDeclaredFormat(sent),
    encoding: sent.charset ?? undefined,
  })
  const [staged] = sheets
  return {
    digest: staged.digest,
    discard,
    staged,
    sheets,
    fileName: sent.name === null ? null : cleanFileName(sent.name),
  }
}

/** Opens the text of a form's field as the CSV file that it is, to be received like a file. */
export const openPastedText = (text: string): Pick<Upload, 'openFile'> => ({
  openFile: async () => openTextFile(text, 'csv'),
})
