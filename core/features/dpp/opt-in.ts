import type { Work } from '../../kernel/work.ts'
import { findApplication } from '../applications/index.ts'
import { keepContent } from '../certification/index.ts'
import { bytesOfBase64, judgeForm } from './opt-in.rules.ts'
import type { NewOptInForm, OptInForm } from './opt-in.schema.ts'
import { refuseInvalid } from './passports.rules.ts'

/**
 * Keeps a form by its content. Its name is judged and forgotten: what is kept is named by its bytes alone, so that the
 * same form uploaded twice is one. Outside any transaction, as an IPFS node may take its time.
 * @throws NOT_FOUND for an application that is not the caller's, VALIDATION_FAILED
 */
export async function keepOptInForm(work: Work, form: NewOptInForm): Promise<OptInForm> {
  const { application, fileName, contentType, content } = form
  await findApplication(work, application)
  const bytes = bytesOfBase64(content)
  refuseInvalid(judgeForm(fileName, contentType, bytes))
  if (bytes === null) throw new Error('a form without bytes was not refused')
  const { cid } = await keepContent(work.context, bytes)
  return { uri: `ipfs://${cid}`, size: bytes.length }
}
