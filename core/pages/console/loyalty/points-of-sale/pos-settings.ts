import { answerRedirect, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { createValidationProblem, type ProblemError } from '../../../../kernel/problem.ts'
import { object, string } from '../../../../kernel/schema.ts'
import { UnavailableError } from '../../../../kernel/unavailable.ts'
import { listApplicationChoices } from '../../../../features/applications/index.ts'
import {
  changePosSettings,
  checkPosSettings,
  listPointsOfSale,
  readPosSettings,
} from '../../../../features/loyalty/index.ts'
import { memberPageOptions } from '../../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { createPageRequest, textField } from '../../frame/lists.ts'
import {
  formatRestaurants,
  parseRestaurants,
  posSettingsPath as path,
  renderPosSettings,
  type Choices,
  type PosSettingsForm,
} from './pos-settings.views.ts'
import { getRefusal } from '../../frame/forms.views.ts'

/** The most points of sale that lines may name; an organization with more names them by the API. */
const maxPointsOfSale = 1_000

async function readChoices({ work, member }: ConsolePage): Promise<Choices> {
  const request = { ...createPageRequest([]), pageSize: maxPointsOfSale }
  const [applications, { data: pointsOfSale }] = await Promise.all([
    listApplicationChoices(work.trx, member.organization),
    listPointsOfSale(work, member, request),
  ])
  return { applications, pointsOfSale }
}

/** The settings of the restaurant POS. */
const readOperation = declareOperation({
  id: 'console_pos_settings_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  query: { saved: textField('Whether they were saved a moment ago.') },
  document: { tag: 'Pages', summary: 'Settings of the restaurant POS' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:update')
  return isAnswer(page) ? page : renderSettings(page, await readChoices(page), { isSaved: input.query.saved === '1' })
})

/** What was written and not saved; without a problem if the POS does not answer. */
interface RefusedSettings {
  form: PosSettingsForm
  problem?: ProblemError
}

async function renderSettings(
  page: ConsolePage,
  choices: Choices,
  { refused, isSaved = false }: { refused?: RefusedSettings; isSaved?: boolean },
): Promise<Answer> {
  const { words, work, member } = page
  const settings = await readPosSettings(work, member)
  const form = refused?.form ?? {
    baseUrl: settings.baseUrl ?? '',
    apiKey: '',
    webhookSecret: '',
    restaurants: formatRestaurants(settings.restaurants, choices),
  }
  const title = words.pointsOfSale.settingsTitle
  const problem = refused?.problem
  const isAway = refused !== undefined && !problem
  const content = renderPosSettings(form, { words, settings, problem, isSaved, isAway })
  return renderFramed(page, { title, wide: false, ...(refused && { status: problem?.status ?? 503 }) }, content)
}

/** A secret of the form: nothing if it stays. @throws VALIDATION_FAILED for what the operation of the API would not take */
function parseSecret(name: 'apiKey' | 'webhookSecret', text: string): Partial<Record<typeof name, string>> {
  if (text === '') return {}
  if (/^[!-~]{8,500}$/.test(text)) return { [name]: text }
  throw createValidationProblem([
    { path: name, code: text.length < 8 ? 'min_length' : 'format', message: 'must be 8 to 500 characters of ASCII' },
  ])
}

function parseAddress(text: string): string | null {
  if (text === '') return null
  if (text.length <= 500 && URL.canParse(text)) return text
  throw createValidationProblem([{ path: 'baseUrl', code: 'format', message: 'must be an https address' }])
}

const updateOperation = declareOperation({
  id: 'console_pos_settings_update_page_v1',
  method: 'POST',
  path,
  ...memberPageOptions,
  body: object({
    baseUrl: string('Address of the POS.', { maxLength: 1_000 }),
    apiKey: string('Its key; empty: it stays.', { maxLength: 1_000 }),
    webhookSecret: string('The secret of its notices; empty: it stays.', { maxLength: 1_000 }),
    restaurants: string('A line a restaurant.', { maxLength: 100_000 }),
  }),
  document: { tag: 'Pages', summary: 'Change the settings of the restaurant POS' },
}).withOutboundHandler(async (input) => {
  const { body: form, context } = input
  const page = openPage(input, path, 'loyalty:update')
  if (isAnswer(page)) return page
  const choices = await readChoices(page)
  try {
    const { baseUrl } = await readPosSettings(page.work, page.member)
    const wantedUrl = parseAddress(form.baseUrl.trim())
    const patch = {
      // An address that stays leaves the restaurants confirmed.
      ...(wantedUrl !== baseUrl && { baseUrl: wantedUrl }),
      ...parseSecret('apiKey', form.apiKey),
      ...parseSecret('webhookSecret', form.webhookSecret),
      restaurants: parseRestaurants(form.restaurants, choices),
    }
    await checkPosSettings(context, page.member, patch)
    return await input.finish(async (work) => {
      await changePosSettings(work, page.member, patch)
      return answerRedirect(`${path}?saved=1`, undefined, 303)
    })
  } catch (cause) {
    if (cause instanceof UnavailableError) return renderSettings(page, choices, { refused: { form } })
    return renderSettings(page, choices, { refused: { form, problem: getRefusal(cause) } })
  }
})

export const posSettingsPages: Operation[] = [readOperation, updateOperation]
