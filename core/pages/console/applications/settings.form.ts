import { isDeepStrictEqual } from 'node:util'
import {
  applicationFeatures,
  ApplicationPatch,
  type ApplicationFeature,
  type ApplicationView,
} from '../../../features/applications/index.ts'
import { createJsonValidator } from '../../../kernel/json/schema-validators.ts'
import { createValidationProblem, type Issue } from '../../../kernel/problem.ts'
import { listFirstIssues, listNameIssues } from '../frame/forms.views.ts'

/** The fields for points and campaigns. */
export const loyaltyNames = [
  'currency',
  'currencyToPointRatio',
  'welcomeBonus',
  'pointsConversionThreshold',
  'pointsConversionThresholdValue',
  'visitsWindowDays',
  'frequencyCapPer24h',
  'conversionWindowDays',
] as const
/** The fields for cards in wallets. */
export const cardNames = ['passTypeIdentifier', 'teamIdentifier', 'issuerId'] as const
export const textNames = [
  'name',
  'slug',
  'websiteUrl',
  'domains',
  'defaultNetwork',
  ...loyaltyNames,
  ...cardNames,
] as const
export type TextName = (typeof textNames)[number]

/** What the form of an application says. */
export type SettingsForm = Record<TextName, string> & { features: readonly ApplicationFeature[] }

/** The path of each field in the body of the API. */
export const fieldPaths: Readonly<Record<TextName, string>> = {
  name: 'name',
  slug: 'slug',
  websiteUrl: 'websiteUrl',
  domains: 'domains',
  defaultNetwork: 'defaultNetwork',
  ...(Object.fromEntries(loyaltyNames.map((name) => [name, `loyaltySettings.${name}`])) as Record<
    (typeof loyaltyNames)[number],
    string
  >),
  passTypeIdentifier: 'loyaltySettings.appleWallet.passTypeIdentifier',
  teamIdentifier: 'loyaltySettings.appleWallet.teamIdentifier',
  issuerId: 'loyaltySettings.googleWallet.issuerId',
}

type Values = Readonly<Record<string, unknown>>

/** Picks what the form changes of an application. */
export function pickContent({ name, slug, domains, websiteUrl, features, defaultNetwork, ...view }: ApplicationView) {
  const { tokens: _, ...loyaltySettings } = view.loyaltySettings ?? { tokens: [] }
  return { name, slug, domains, websiteUrl, features, defaultNetwork, loyaltySettings: loyaltySettings as Values }
}

/** Returns the form as it is filled in before anybody changes it. */
export function toForm(application: ApplicationView): SettingsForm {
  const { domains, websiteUrl, features, loyaltySettings, ...content } = pickContent(application)
  const {
    appleWallet = {},
    googleWallet = {},
    ...points
  } = loyaltySettings as {
    appleWallet?: Record<string, string>
    googleWallet?: Record<string, string>
  } & Record<string, string | number>
  const write = (values: Readonly<Record<string, string | number>>, name: string) => String(values[name] ?? '')
  return {
    ...content,
    websiteUrl: websiteUrl ?? '',
    domains: domains.join(' '),
    features,
    ...(Object.fromEntries(loyaltyNames.map((name) => [name, write(points, name)])) as Record<
      (typeof loyaltyNames)[number],
      string
    >),
    passTypeIdentifier: write(appleWallet, 'passTypeIdentifier'),
    teamIdentifier: write(appleWallet, 'teamIdentifier'),
    issuerId: write(googleWallet, 'issuerId'),
  }
}

/** Lists the domains that a text names. */
export const splitDomains = (text: string): string[] => text.split(/[\s,]+/).filter((domain) => domain !== '')

const pointsPattern = /^(0|[1-9]\d{0,30})$/
const moneyPattern = /^(0|[1-9]\d{0,14})([.]\d{1,8})?$/
const numberPattern = /^\d{1,12}([.]\d{1,8})?$/

/** Reads what a form asks for; what is wrong with single fields is added to the issues. */
function readContent(form: SettingsForm, issues: Issue[]) {
  const read = (name: TextName, pattern: RegExp): string | undefined => {
    const text = form[name].trim().replace(',', '.')
    if (text === '') return undefined
    if (!pattern.test(text)) issues.push({ path: fieldPaths[name], code: 'number', message: 'is no number' })
    return text
  }
  const readNumber = (name: TextName): number | undefined => {
    const text = read(name, numberPattern)
    return text !== undefined && numberPattern.test(text) ? Number(text) : undefined
  }
  const passTypeIdentifier = form.passTypeIdentifier.trim()
  const teamIdentifier = form.teamIdentifier.trim()
  const issuerId = form.issuerId.trim()
  const loyaltySettings = {
    currency: form.currency || undefined,
    currencyToPointRatio: readNumber('currencyToPointRatio'),
    welcomeBonus: read('welcomeBonus', pointsPattern),
    pointsConversionThreshold: read('pointsConversionThreshold', pointsPattern),
    pointsConversionThresholdValue: read('pointsConversionThresholdValue', moneyPattern),
    visitsWindowDays: readNumber('visitsWindowDays'),
    frequencyCapPer24h: readNumber('frequencyCapPer24h'),
    conversionWindowDays: readNumber('conversionWindowDays'),
    appleWallet: passTypeIdentifier || teamIdentifier ? { passTypeIdentifier, teamIdentifier } : undefined,
    googleWallet: issuerId ? { issuerId } : undefined,
  }
  return {
    name: form.name.trim(),
    slug: form.slug.trim(),
    domains: splitDomains(form.domains),
    websiteUrl: form.websiteUrl.trim() || null,
    features: form.features,
    defaultNetwork: form.defaultNetwork,
    loyaltySettings,
  }
}

/** Lists what differs: what is gone is null. Objects are sent whole, because the API takes cards only so. */
export const listChanges = (stored: Values, wanted: Values): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set([...Object.keys(stored), ...Object.keys(wanted)])]
      .filter((name) => !isDeepStrictEqual(stored[name], wanted[name]))
      .map((name) => [name, wanted[name] ?? null]),
  )

const validatePatch = createJsonValidator(() => ApplicationPatch, { maxItems: 'max_items', uniqueItems: 'unique' })

/** Lists what the API would refuse of a patch, by the path of each member. */
export const listPatchIssues = (patch: object): Issue[] =>
  validatePatch(patch, '', () => JSON.stringify(patch).length).map((issue) => ({
    ...issue,
    path: issue.path.replace(/^\./, ''),
  }))

/**
 * Creates the patch that a form asks for: only what it changes.
 * @throws VALIDATION_FAILED with every field that is wrong, each once
 */
export function createApplicationPatch(application: ApplicationView, form: SettingsForm): ApplicationPatch {
  const issues = listNameIssues(form.name.trim())
  const { loyaltySettings: before, ...stored } = pickContent(application)
  const { loyaltySettings: after, ...wanted } = readContent(form, issues)
  // The features are a set: another order is no change.
  const features = [stored.features, wanted.features].map((all) =>
    applicationFeatures.filter((one) => all.includes(one)),
  )
  const loyaltySettings = listChanges(before, after)
  const patch = {
    ...listChanges({ ...stored, features: features[0] }, { ...wanted, features: features[1] }),
    ...(Object.keys(loyaltySettings).length > 0 && { loyaltySettings }),
  }
  issues.push(...listPatchIssues(patch))
  const first = listFirstIssues(issues)
  if (first.length > 0) throw createValidationProblem(first)
  return patch
}
