import type { Work } from '../../../kernel/work.ts'
import { readApplication } from '../../applications/index.ts'
import { saveContent } from '../../certification/index.ts'
import { parseBase64, validateForm } from './opt-in.rules.ts'
import type { NewOptInForm, OptInForm } from './opt-in.schema.ts'
import { assertNoIssues } from '../passports/index.ts'

/**
 * Stores a form under its content identifier. The file name is validated but not stored: the identifier depends on the
 * bytes alone, so that a form that is uploaded twice is stored once. Runs outside any transaction, because an IPFS node
 * may be slow.
 * @throws NOT_FOUND for an application that is not the caller's
 * @throws VALIDATION_FAILED
 */
export async function storeOptInForm(work: Work, form: NewOptInForm): Promise<OptInForm> {
  const { application, fileName, contentType, content } = form
  await readApplication(work, application)
  const bytes = parseBase64(content)
  assertNoIssues(validateForm(fileName, contentType, bytes))
  if (bytes === null) throw new Error('a form without bytes was not refused')
  const { cid } = await saveContent(work.context, bytes)
  return { uri: `ipfs://${cid}`, size: bytes.length }
}
