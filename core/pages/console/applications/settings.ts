import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import { object, optional, string } from '../../../kernel/schema.ts'
import {
  applicationFeatures,
  changeApplication,
  presentApplicationTo,
  readApplication,
  rehearseApplicationDeletion,
  removeApplication,
  type ApplicationContributions,
  type ApplicationView,
} from '../../../features/applications/index.ts'
import { getProblemStatus } from '../../site/layout.ts'
import { memberPageOptions } from '../console.ts'
import { getRefusal, renderQuestion } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { createMarkCheck } from '../frame/marks.ts'
import { renderOne } from './applications.ts'
import { addRefusals, applicationsPath, getApplicationAddress as getAddress } from './applications.views.ts'
import { createApplicationPatch, pickContent, textNames, type SettingsForm } from './settings.form.ts'
import { formatParts, renderInUse } from './settings.views.ts'
import { settingsWords } from './settings.words.ts'

const boxField = (description: string) => optional(string(description, { maxLength: 3 }))
const textField = (description: string, maxLength = 300) => optional(string(description, { maxLength }))

const formFields = {
  mark: textField('What the application was like when the form was opened.', 100),
  name: textField('Its name.', 400),
  slug: textField('Its name in addresses.'),
  websiteUrl: textField('Its home page, or nothing.', 4_000),
  domains: textField('Its domains, with spaces between them.', 30_000),
  defaultNetwork: textField('The network where none is named.'),
  dpp: boxField('Whether it uses passports.'),
  loyalty: boxField('Whether it uses points.'),
  invest: boxField('Whether it uses shares.'),
  trust: boxField('Whether it uses certificates.'),
  currency: textField('Currency of its orders, or nothing.'),
  currencyToPointRatio: textField('Points of a unit of currency.'),
  welcomeBonus: textField('Points that a new account starts with.'),
  pointsConversionThreshold: textField('Points that are turned into money at once.'),
  pointsConversionThresholdValue: textField('What they are worth.'),
  visitsWindowDays: textField('Days that visits count.'),
  frequencyCapPer24h: textField('Most messages in 24 hours.'),
  conversionWindowDays: textField('Days in which a visit is the success of a campaign.'),
  passTypeIdentifier: textField('Pass type as registered with Apple.'),
  teamIdentifier: textField('Team of the pass type.'),
  issuerId: textField('Issuer account at Google.'),
}

/** Reads the form as it was sent. */
const readForm = (body: { readonly [name in keyof typeof formFields]?: string }): SettingsForm => ({
  ...(Object.fromEntries(textNames.map((name) => [name, body[name] ?? ''])) as Omit<SettingsForm, 'features'>),
  features: applicationFeatures.filter((feature) => body[feature] !== undefined),
})

const readShown = async ({ member, work }: ConsolePage, id: string): Promise<ApplicationView> =>
  presentApplicationTo(member, work, await readApplication(work, id))

const createUpdateOperation = (shared: ApplicationContributions): Operation =>
  declareOperation({
    id: 'console_application_update_page_v1',
    method: 'POST',
    path: `${applicationsPath}/:id`,
    ...memberPageOptions,
    body: object(formFields),
    document: { tag: 'Pages', summary: 'Change an application' },
  }).withOutboundHandler(async (input) => {
    const { id } = input.params
    const page = openPage(input, getAddress(id), 'application:update')
    if (isAnswer(page)) return page
    const { mark = '' } = input.body
    const form = readForm(input.body)
    try {
      const patch = createApplicationPatch(await readShown(page, id), form)
      const precondition = createMarkCheck(mark, pickContent)
      return await input.finish(async (work) => {
        await changeApplication(work, id, { patch, precondition }, shared)
        return answerRedirect(`${getAddress(id)}?saved=yes`, undefined, 303)
      })
    } catch (cause) {
      return renderOne(page, id, { problem: getRefusal(cause), written: { form, mark } })
    }
  })

/** Tries the deletion: what would go with the application, or why it stays. */
async function rehearseDeletion({ work }: ConsolePage, id: string, shared: ApplicationContributions) {
  try {
    return await rehearseApplicationDeletion(work, id, shared)
  } catch (cause) {
    if (cause instanceof ProblemError && cause.code === 'APPLICATION_IN_USE') return cause
    throw cause
  }
}

async function renderDeletion(
  page: ConsolePage,
  id: string,
  shared: ApplicationContributions,
  problem?: ProblemError,
): Promise<Answer> {
  const phrases = settingsWords[page.language]
  const { name } = await readShown(page, id)
  const parts = await rehearseDeletion(page, id, shared)
  const title = phrases.deleteTitle(name)
  const options = { title, wide: false, ...getProblemStatus(problem) }
  if (parts instanceof ProblemError) return renderFramed(page, options, renderInUse(page, { id, title }))
  const question = {
    title,
    consequences: [...formatParts(parts, page.language), phrases.deletePages, phrases.deleteFinal],
    button: phrases.deleteButton,
    action: `${getAddress(id)}/delete`,
    back: getAddress(id),
    problem,
  }
  return renderFramed(page, options, renderQuestion(question, addRefusals(page)))
}

/** The page that says what goes with an application, as the trial of its deletion has it. */
const createAskOperation = (shared: ApplicationContributions): Operation =>
  declareOperation({
    id: 'console_application_delete_question_v1',
    method: 'GET',
    path: `${applicationsPath}/:id/delete`,
    ...memberPageOptions,
    document: { tag: 'Pages', summary: 'Before an application is deleted' },
  }).withReadHandler(async (input) => {
    const { id } = input.params
    const page = openPage(input, `${getAddress(id)}/delete`, 'application:delete')
    return isAnswer(page) ? page : renderDeletion(page, id, shared)
  })

const createDeleteOperation = (shared: ApplicationContributions): Operation =>
  declareOperation({
    id: 'console_application_delete_page_v1',
    method: 'POST',
    path: `${applicationsPath}/:id/delete`,
    ...memberPageOptions,
    document: { tag: 'Pages', summary: 'Delete an application' },
  }).withOutboundHandler(async (input) => {
    const { id } = input.params
    const page = openPage(input, `${getAddress(id)}/delete`, 'application:delete')
    if (isAnswer(page)) return page
    try {
      return await input.finish(async (work) => {
        await removeApplication(work, id, shared.applicationBlockers, () => undefined)
        return answerRedirect(applicationsPath, undefined, 303)
      })
    } catch (cause) {
      return renderDeletion(page, id, shared, getRefusal(cause))
    }
  })

/** Creates the pages that change and delete an application. */
export const createApplicationSettingsPages = (shared: ApplicationContributions): Operation[] => [
  createUpdateOperation(shared),
  createAskOperation(shared),
  createDeleteOperation(shared),
]
