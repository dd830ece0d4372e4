import { cardChannels, networkNames, type CardChannel } from '../../../../features/accounts/index.ts'
import { NewCampaign, type Campaign, type Targeting } from '../../../../features/loyalty/index.ts'
import { createJsonValidator } from '../../../../kernel/json/schema-validators.ts'
import { createValidationProblem, type Issue } from '../../../../kernel/problem.ts'
import { optional, string } from '../../../../kernel/schema.ts'
import { listFirstIssues, listNameIssues } from '../../frame/forms.views.ts'

/** The fields of an audience that are whole numbers. */
export const numberNames = [
  'minPoints',
  'maxPoints',
  'minVisits',
  'maxVisits',
  'inactiveForDays',
  'holdoutPercent',
] as const
export type NumberName = (typeof numberNames)[number]
const audienceNames = [...numberNames, 'network', 'birthdayMonth'] as const
const textNames = ['name', 'description', 'headline', 'body', ...audienceNames] as const
export type TextName = (typeof textNames)[number]

/** The names of the boxes of wallets. */
export const channelNames = { 'apple-wallet': 'apple', 'google-wallet': 'google' } as const

/** What the form of a campaign says. */
export interface CampaignForm {
  texts: Readonly<Record<TextName, string>>
  channels: readonly CardChannel[]
  tiers: readonly string[]
  /** Tags of languages. */
  locales: readonly string[]
}

const textField = (description: string, maxLength = 400) => optional(string(description, { maxLength }))
const boxField = (description: string) => optional(string(description, { maxLength: 3 }))

/** The fields that decide about the audience. Those of tiers and languages are named for what they choose. */
export const audienceFields = {
  ...Object.fromEntries(audienceNames.map((name) => [name, textField(`The condition \`${name}\`, or nothing.`, 40)])),
  apple: boxField('Whether it writes to Apple Wallet.'),
  google: boxField('Whether it writes to Google Wallet.'),
}

/** All fields of the form with a name of their own. */
export const formFields = {
  name: textField('What the organization calls it.'),
  description: textField('Notes.', 4_000),
  headline: textField('First line of the message.'),
  body: textField('The message.', 2_000),
  ...audienceFields,
}

export const getTierBox = (id: string): string => `tier-${id}`
export const getLocaleBox = (tag: string): string => `locale-${tag}`
const tierPattern = /^tier-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const localePattern = /^locale-([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)$/

const pickNames = (fields: object, pattern: RegExp): string[] =>
  Object.keys(fields).flatMap((name) => pattern.exec(name)?.[1] ?? [])

/** Reads the form as it was sent, or the part of it that an address has. */
export function readForm(fields: Readonly<Record<string, unknown>>): CampaignForm {
  const read = (name: string) => {
    const value = fields[name]
    return typeof value === 'string' ? value.trim().replaceAll('\r\n', '\n') : ''
  }
  return {
    texts: Object.fromEntries(textNames.map((name) => [name, read(name)])) as Record<TextName, string>,
    channels: cardChannels.filter((channel) => fields[channelNames[channel]] !== undefined),
    tiers: pickNames(fields, tierPattern),
    locales: pickNames(fields, localePattern),
  }
}

/** The form of a new campaign, before anything is written. */
export const emptyForm: CampaignForm = { ...readForm({}), channels: cardChannels }

/** Returns the form of a campaign as it is stored. */
export function toForm({ name, description, channels, content, targeting }: Campaign): CampaignForm {
  const { rewardTiers = [], locales = [], ...plain } = targeting
  const values = { name, description, ...content, ...plain } as Readonly<Record<string, unknown>>
  const write = (value: unknown) => (value === undefined || value === null ? '' : String(value))
  return {
    texts: Object.fromEntries(textNames.map((text) => [text, write(values[text])])) as Record<TextName, string>,
    channels,
    tiers: rewardTiers,
    locales,
  }
}

const isNetwork = (text: string): text is (typeof networkNames)[number] => networkNames.some((name) => name === text)

/** Reads whom a form is for; what is no number is added to the issues. */
function readTargeting({ texts, tiers, locales }: CampaignForm, issues: Issue[]): Targeting {
  const targeting: Targeting = {}
  for (const name of numberNames) {
    if (texts[name] === '') continue
    if (/^\d{1,15}$/.test(texts[name])) targeting[name] = Number(texts[name])
    else issues.push({ path: `targeting.${name}`, code: 'number', message: 'is no whole number' })
  }
  // Nothing held back is the same as no such condition.
  if (targeting.holdoutPercent === 0) delete targeting.holdoutPercent
  if (isNetwork(texts.network)) targeting.network = texts.network
  if (/^\d{1,2}$/.test(texts.birthdayMonth)) targeting.birthdayMonth = Number(texts.birthdayMonth)
  if (tiers.length > 0) targeting.rewardTiers = [...tiers]
  if (locales.length > 0) targeting.locales = [...locales]
  return targeting
}

const validate = createJsonValidator(() => NewCampaign)
const listSchemaIssues = (body: object): Issue[] =>
  validate(body, '', () => JSON.stringify(body).length).map((issue) => ({
    ...issue,
    path: issue.path.replace(/^\./, ''),
  }))

/** What a form asks for, as the API takes it. */
export type CampaignValues = Required<Omit<NewCampaign, 'application' | 'description'>> & { description: string | null }

const parse = (form: CampaignForm, issues: Issue[]) => {
  const { name, description, headline, body } = form.texts
  return {
    name,
    description: description || null,
    channels: [...form.channels],
    targeting: readTargeting(form, issues),
    // A draft may have no text yet, but never a half of it.
    content: headline === '' && body === '' ? null : { headline, body },
  }
}

/** Returns what a form asks for. @throws VALIDATION_FAILED with every field that is wrong, each once */
export function parseForm(application: string, form: CampaignForm): CampaignValues {
  const issues = listNameIssues(form.texts.name)
  const { description, ...values } = parse(form, issues)
  if (form.channels.length === 0) issues.push({ path: 'channels', code: 'required', message: 'is missing' })
  const { channels, ...others } = values
  const body = { application, ...others, ...(channels.length > 0 && { channels }), ...(description && { description }) }
  issues.push(...listSchemaIssues(body))
  const first = listFirstIssues(issues)
  if (first.length > 0) throw createValidationProblem(first)
  return { ...values, description }
}

/** The audience that a form describes. */
export interface FormAudience {
  channels: CardChannel[]
  targeting: Targeting
}

/** Returns the audience of a form; what else it says does not matter. @throws VALIDATION_FAILED */
export function parseAudience(application: string, form: CampaignForm): FormAudience {
  const issues: Issue[] = []
  const targeting = readTargeting(form, issues)
  const channels = [...form.channels]
  issues.push(...listSchemaIssues({ application, name: 'audience', targeting }))
  if (channels.length === 0) issues.push({ path: 'channels', code: 'required', message: 'is missing' })
  const first = listFirstIssues(issues)
  if (first.length > 0) throw createValidationProblem(first)
  return { channels, targeting }
}
