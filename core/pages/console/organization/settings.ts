import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createValidationProblem, type ProblemError } from '../../../kernel/problem.ts'
import { object, oneOf, optional, string } from '../../../kernel/schema.ts'
import {
  changeOrganization,
  getCallbackAddress,
  offersGoogle,
  readOrganization,
} from '../../../features/identity/index.ts'
import { readQuotaUsage } from '../../../features/organization/index.ts'
import { html } from '../../site/html.ts'
import { renderPlan } from '../billing/usage.views.ts'
import { may, memberPageOptions } from '../console.ts'
import { getRefusal, listNameIssues, renderQuestion } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { currencies, renderSettings, settingsPath, type SettingsForm } from './settings.views.ts'
import { settingsWords } from './settings.words.ts'
import { getProblemStatus } from '../../site/layout.ts'

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

type Organization = Awaited<ReturnType<typeof readOrganization>>

/** Returns the form as it is filled in before anybody changes it. */
function toForm({ name, slug, timeZone, locale, settings, preferredCurrency }: Organization): SettingsForm {
  const { 'email-otp': email, 'phone-otp': phone, google, auth0 } = settings.authConfig
  return {
    name,
    slug,
    timeZone,
    locale,
    preferredCurrency: preferredCurrency ?? '',
    ...(email.enabled && { emailCodes: 'yes' }),
    ...(phone.enabled && { phoneCodes: 'yes' }),
    ...(google.enabled && { google: 'yes' }),
    ...(auth0.enabled && { auth0: 'yes' }),
    auth0Domain: auth0.domain ?? '',
    auth0ClientId: auth0.clientId ?? '',
    auth0ClientSecret: '',
  }
}

async function renderOwn(page: ConsolePage, { isSaved = false, problem, form }: ShownState): Promise<Answer> {
  const { member, work, language } = page
  const organization = await readOrganization(work, member, member.organization)
  const { preferredCurrency } = organization
  const { auth0 } = organization.settings.authConfig
  const content = renderSettings(page, {
    form: form ?? toForm(organization),
    currency: preferredCurrency,
    mayUpdate: may(member, 'settings:update'),
    mayDelete: may(member, 'organization:delete'),
    isSaved,
    isGoogleOffered: offersGoogle(work.context.settings),
    hasClientSecret: auth0.hasClientSecret,
    callbackAddress: getCallbackAddress(work.context.settings, 'auth0'),
    problem,
  })
  const usage = may(member, 'billing:read') && (await readQuotaUsage(work, member))
  return renderFramed(
    page,
    { title: settingsWords[language].title, wide: false, ...getProblemStatus(problem) },
    html`${content}
${usage && renderPlan(usage, language, may(member, 'billing:update'))}`,
  )
}

const ways = ['emailCodes', 'phoneCodes', 'google', 'auth0'] as const

/** Lists the ways to sign in that an organization has, and a form turns off. */
function listEndedWays(stored: SettingsForm, form: SettingsForm): (typeof ways)[number][] {
  return ways.filter((way) => stored[way] !== undefined && form[way] === undefined)
}

/** Renders the page that says what happens to buyers when ways to sign in end. */
function askWays(page: ConsolePage, form: SettingsForm, ended: readonly (typeof ways)[number][]): Promise<Answer> {
  const phrases = settingsWords[page.language]
  const { emailCodes, phoneCodes, google, auth0, ...texts } = form
  const boxes = Object.entries({ emailCodes, phoneCodes, google, auth0 }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const question = {
    title: phrases.waysTitle,
    consequences: [...ended.map((way) => phrases.wayEnds(phrases[way])), phrases.wayBack],
    button: phrases.waysButton,
    action: settingsPath,
    back: settingsPath,
    fields: { ...texts, ...Object.fromEntries(boxes), act: 'save' },
    problem: undefined,
  }
  return renderFramed(page, { title: question.title, wide: false }, renderQuestion(question, page.words))
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
    google: boxField('Whether buyers sign in with Google.'),
    auth0: boxField('Whether buyers sign in with Auth0.'),
    auth0Domain: optional(string('Host name of the tenant at Auth0, or nothing.', { maxLength: 300 })),
    auth0ClientId: optional(string('Client there, or nothing.', { maxLength: 300 })),
    auth0ClientSecret: optional(string('Its secret; nothing leaves it as it is.', { maxLength: 600 })),
    act: optional(oneOf(['save'], 'Whether to keep it even if ways to sign in end.')),
  }),
  document: { tag: 'Pages', summary: 'Change the settings of the organization' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, settingsPath, 'settings:update')
  if (isAnswer(page)) return page
  const { act, ...entered } = input.body
  const form: SettingsForm = {
    preferredCurrency: '',
    auth0Domain: '',
    auth0ClientId: '',
    auth0ClientSecret: '',
    ...entered,
  }
  try {
    const patch = parseForm(form)
    const stored = toForm(await readOrganization(page.work, page.member, page.member.organization))
    const ended = listEndedWays(stored, form)
    if (ended.length > 0 && act !== 'save') return await askWays(page, form, ended)
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

const tenantPath = 'settings.authConfig.auth0'
const hostPattern = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.])+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/
const maxClientIdLength = 200
const maxClientSecretLength = 500
const slugPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Returns the patch that a form asks for. @throws VALIDATION_FAILED with every field that is wrong */
function parseForm({ emailCodes, phoneCodes, google, auth0, ...form }: SettingsForm) {
  const [name, slug, timeZone, locale] = [form.name, form.slug, form.timeZone, form.locale].map((text) =>
    text.trim(),
  ) as [string, string, string, string]
  const issues = listNameIssues(name)
  if (!slugPattern.test(slug))
    issues.push({ path: 'slug', code: 'pattern', message: 'has small letters, digits and hyphens only' })
  const domain = form.auth0Domain.trim().toLowerCase()
  const clientId = form.auth0ClientId.trim()
  const clientSecret = form.auth0ClientSecret.trim()
  if (domain !== '' && !hostPattern.test(domain))
    issues.push({ path: `${tenantPath}.domain`, code: 'pattern', message: 'is no host name' })
  if (clientId.length > maxClientIdLength)
    issues.push({ path: `${tenantPath}.clientId`, code: 'max_length', message: 'is too long' })
  if (clientSecret.length > maxClientSecretLength)
    issues.push({ path: `${tenantPath}.clientSecret`, code: 'max_length', message: 'is too long' })
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
        google: { enabled: google !== undefined },
        auth0: {
          enabled: auth0 !== undefined,
          domain: domain || null,
          clientId: clientId || null,
          ...(clientSecret !== '' && { clientSecret }),
        },
      },
    },
  }
}

/** The page about the organization itself. */
export const settingsPages: Operation[] = [showOperation, changeOperation]
