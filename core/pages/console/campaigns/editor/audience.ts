import { previewAudience, type AudiencePreview } from '../../../../features/loyalty/index.ts'
import { answerText, isAnswer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { ProblemError } from '../../../../kernel/problem.ts'
import { memberPageOptions } from '../../console.ts'
import { openPage, type ConsolePage } from '../../frame/frame.ts'
import { uuidField } from '../../frame/lists.ts'
import { campaignsPath } from '../paths.ts'
import { renderNumbers } from './audience.views.ts'
import { audienceFields, parseAudience, readForm, type CampaignForm } from './editor.form.ts'

/** Whom a campaign would reach now. */
export interface AudienceNumbers extends AudiencePreview {
  /** About how many of those are held back. */
  heldBack: number
}

/** Computes how many of an audience are held back. */
export const countHeldBack = (reachable: number, percent = 0): number => Math.floor((reachable * percent) / 100)

/** Counts the audience of a form; null if it is not written as it has to be. */
export async function readNumbers(
  { work, member }: ConsolePage,
  application: string,
  form: CampaignForm,
): Promise<AudienceNumbers | null> {
  try {
    const { channels, targeting } = parseAudience(application, form)
    const found = await previewAudience(work, member, { application, channels, targeting })
    return { ...found, heldBack: countHeldBack(found.reachableNow, targeting.holdoutPercent) }
  } catch (cause) {
    // What is wrong is said when the form is saved or shown.
    if (cause instanceof ProblemError && cause.status === 422) return null
    throw cause
  }
}

export const numbersPath = `${campaignsPath}/audience`

/** The numbers of an audience alone, for the script of the form. */
const numbersOperation = declareOperation({
  id: 'console_campaign_audience_v1',
  method: 'GET',
  path: numbersPath,
  ...memberPageOptions,
  query: { application: uuidField('Its application.'), ...audienceFields },
  document: { tag: 'Pages', summary: 'Whom a campaign would reach' },
}).withReadHandler(async (input) => {
  const page = openPage(input, campaignsPath, 'loyalty:read')
  if (isAnswer(page)) return page
  const { application = '' } = input.query
  const numbers = await readNumbers(page, application, readForm(input.query))
  return answerText(renderNumbers(page, numbers).text, 'text/html; charset=utf-8', { 'Cache-Control': 'no-store' })
})

export const audiencePages: Operation[] = [numbersOperation]
