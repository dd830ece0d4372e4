import type { OrganizationCaller } from '../../kernel/caller.ts'
import { problem } from '../../kernel/problem.ts'
import type { Received, Upload } from '../../kernel/upload.ts'
import type { Context } from '../../kernel/work.ts'
import { declaredFormat, shownName } from './intake.formats.ts'
import { inTurn, keepFile } from './intake.receive.ts'
import type { Staged } from './staging.ts'

export interface ReceivedDraft extends Received { staged: Staged; fileName: string | null }

interface Receipt { context: Context; caller: OrganizationCaller; upload: Upload }

/**
 * Takes the file of a page's form and keeps it as one that was sent to the API is kept.
 * @throws IMPORT_BODY_MISSING, UNSUPPORTED_MEDIA_TYPE, IMPORT_TOO_LARGE, IMPORT_ROW_CAP_EXCEEDED, RATE_LIMITED, and
 * InitError for what its beginning shows
 */
export const receiveDraft = (receipt: Receipt): Promise<ReceivedDraft> =>
  inTurn(receipt.context.db, receipt.caller, () => take(receipt))

async function take({ context, caller: { organization }, upload }: Receipt): Promise<ReceivedDraft> {
  const sent = await upload.file()
  if (!sent) throw problem('IMPORT_BODY_MISSING', 'Choose a file first.')
  const { staged, discard } = await keepFile(context, sent, {
    organization, format: declaredFormat(sent), encoding: sent.charset ?? undefined,
  })
  return { digest: staged.digest, discard, staged, fileName: sent.name === null ? null : shownName(sent.name) }
}
