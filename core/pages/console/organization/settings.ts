import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createValidationProblem, type ProblemError } from '../../../kernel/problem.ts'
import { object, oneOf, optional, string } from '../../../kernel/schema.ts'
import { changeOrganization, readOrganization } from '../../../features/identity/index.ts'
import { may, memberPageOptions } from '../console.ts'
import { getRefusal, listNameIssues } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { currencies, renderSettings, settingsPath, type SettingsForm } from './settings.views.ts'
import { settingsWords } from './settings.words.ts'

/** What the organization is called, where its days begin, and how its buyers sign in. */
const showOperation = declareOperation({
  id: 'console_organization_settings_page_v1',
  method: 'GET',
  path: settingsPath,
  ...memberPageOptions,
  query: { saved: optional(string('Whether a change has just been kept.', { maxLength: 3 })) },
  document: { tag: 'Pages', summary: 'Settings of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, settingsPath, 'settings:read')
  return isAnswer(page) ? page : renderOwn(page, { isSaved: input.query.saved !== undefined })
})

interface ShownState {
  isSaved?: boolean
  problem?: ProblemError
  form?: SettingsForm
}

async function renderOwn(page: ConsolePage, { isSaved = false, problem, form }: ShownState): Promise<Answer> {
  const { member, work, language } = page
  const organization = await readOrganization(work, member, member.organization)
  const { name, slug, timeZone, locale, settings, preferredCurrency } = organization
  const { 'email-otp': email, 'phone-otp': phone } = settings.authConfig
  const stored: SettingsForm = {
    name,
    slug,
    timeZone,
    locale,
    preferredCurrency: preferredCurrency ?? '',
    ...(email.enabled && { emailCodes: 'yes' }),
    ...(phone.enabled && { phoneCodes: 'yes' }),
  }
  const content = renderSettings(page, {
    form: form ?? stored,
    currency: preferredCurrency,
    mayUpdate: may(member, 'settings:update'),
    mayDelete: may(member, 'organization:delete'),
    isSaved,
    problem,
  })
  return renderFramed(
    page,
    { title: settingsWords[language].title, wide: false, ...(problem && { status: problem.status }) },
    content,
  )
}

const boxField = (description: string) => optional(string(description, { maxLength: 3 }))

const changeOperation = declareOperation({
  id: 'console_organization_settings_change_page_v1',
  method: 'POST',
  path: settingsPath,
  ...memberPageOptions,
  body: object({
    name: string('Its name.', { maxLength: 400 }),
    slug: string('Its name in addresses.', { maxLength: 200 }),
    timeZone: string('IANA time zone.', { maxLength: 200 }),
    locale: string('Language of its mails and pages.', { maxLength: 200 }),
    preferredCurrency: optional(oneOf(currencies, 'Currency of its bills, or nothing.')),
    emailCodes: boxField('Whether buyers sign in with a code by e-mail.'),
    phoneCodes: boxField('Whether buyers sign in with a code by phone.'),
  }),
  document: { tag: 'Pages', summary: 'Change the settings of the organization' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, settingsPath, 'settings:update')
  if (isAnswer(page)) return page
  const form: SettingsForm = { preferredCurrency: '', ...input.body }
  try {
    const patch = parseForm(form)
    return await input.finish(async (work) => {
      const { member } = page
      // A form has no version: who saves last has the last word.
      await changeOrganization(work, member, { id: member.organization, patch, precondition: () => undefined })
      return answerRedirect(`${settingsPath}?saved=yes`, undefined, 303)
    })
  } catch (cause) {
    return renderOwn(page, { form, problem: getRefusal(cause) })
  }
})

const slugPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Returns the patch that a form asks for. @throws VALIDATION_FAILED with every field that is wrong */
function parseForm({ emailCodes, phoneCodes, ...form }: SettingsForm) {
  const [name, slug, timeZone, locale] = [form.name, form.slug, form.timeZone, form.locale].map((text) =>
    text.trim(),
  ) as [string, string, string, string]
  const issues = listNameIssues(name)
  if (!slugPattern.test(slug))
    issues.push({ path: 'slug', code: 'pattern', message: 'has small letters, digits and hyphens only' })
  if (issues.length > 0) throw createValidationProblem(issues)
  return {
    name,
    slug,
    timeZone,
    locale,
    preferredCurrency: form.preferredCurrency === '' ? null : form.preferredCurrency,
    settings: {
      authConfig: {
        'email-otp': { enabled: emailCodes !== undefined },
        'phone-otp': { enabled: phoneCodes !== undefined },
      },
    },
  }
}

/** The page about the organization itself. */
export const settingsPages: Operation[] = [showOperation, changeOperation]
