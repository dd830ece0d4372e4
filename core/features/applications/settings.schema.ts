import { networkNames } from '../../chains/networks.ts'
import {
  Type, integer, list, nameText, nullable, object, oneOf, optional, string, type Static, type TSchema,
} from '../../kernel/schema.ts'

/** An optional member that null clears. */
export const clearable = <S extends TSchema>(schema: S) => optional(nullable(schema))

/** An absolute http or https address. */
export const webAddress = (description: string) =>
  string(description, { maxLength: 2048, format: 'uri', pattern: '^[Hh][Tt]{2}[Pp][Ss]?://[^/?#]' })

const colour = (description: string) =>
  string(description, { pattern: '^#([0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$', examples: ['#0a7d54'] })

const title = nameText('Heading of pages, in place of the name.')
const mode = oneOf(['light', 'dark', 'system'], 'How bright pages are; system: as the visitor\'s device says.')
const primaryColor = colour('Colour of buttons and links, as #0a7d54.')
const secondaryColor = colour('Colour of accents, as #0a7d54.')
const logoUrl = webAddress('Image in the head of pages.')
const bgImageUrl = webAddress('Image behind pages.')
const googleFont = string('Name of a Google Fonts family, as `Inter`.', { pattern: '^[A-Za-z0-9][A-Za-z0-9 ]{0,63}$' })

export const Theme = object({
  title: optional(title), mode: optional(mode), primaryColor: optional(primaryColor),
  secondaryColor: optional(secondaryColor), logoUrl: optional(logoUrl), bgImageUrl: optional(bgImageUrl),
  googleFont: optional(googleFont),
}, { title: 'ApplicationTheme', description: 'How the application\'s pages look; unset members are left out.' })
export type Theme = Static<typeof Theme>

export const ThemePatch = object({
  title: clearable(title), mode: clearable(mode), primaryColor: clearable(primaryColor),
  secondaryColor: clearable(secondaryColor), logoUrl: clearable(logoUrl), bgImageUrl: clearable(bgImageUrl),
  googleFont: clearable(googleFont),
}, { title: 'ApplicationThemePatch', description: 'How pages look; null clears a member.' })

const Token = object({
  address: string('Address of the contract on its network.'),
  name: string('Name that the contract gives itself.'),
  symbol: string('Short name of one token.'),
  network: oneOf(networkNames, 'Network the contract is deployed on.'),
}, { title: 'ApplicationToken', description: 'A contract of the application, recorded when it was deployed.' })

export const DppSettings = object({ tokens: list(Token, 'Passport contracts, oldest first: one a network, a further one each time the newest is full.') }, {
  title: 'ApplicationDppSettings', description: 'Settings of product passports; read only.',
})

const points = (description: string) => string(description, { pattern: '^(0|[1-9][0-9]{0,30})$' })
/** Amounts are taken as numbers too; null clears. One union of three: a nested one would hide its descriptions. */
const clearablePoints = (description: string) => optional(Type.Union([
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }), points(description), Type.Null(),
]))
const money = (description: string) =>
  string(description, { pattern: '^(0|[1-9][0-9]{0,14})([.][0-9]{1,8})?$', examples: ['10.00'] })
const clearableMoney = (description: string) => optional(Type.Union([
  Type.Number({ minimum: 0, maximum: 1e14, description }), money(description), Type.Null(),
]))

const appleWallet = object({
  passTypeIdentifier: string('Pass type as registered with Apple.', {
    pattern: '^pass[.][A-Za-z0-9.-]{1,200}$',
  }),
  teamIdentifier: string('Team of the pass type.', { pattern: '^[A-Z0-9]{10}$' }),
}, {
  title: 'ApplicationAppleWallet',
  description: 'Names that Apple Wallet cards are issued under, without the certificate.',
})
const googleWallet = object({
  issuerId: string('Issuer account of the Google Wallet API.', { pattern: '^[0-9]{1,20}$' }),
}, {
  title: 'ApplicationGoogleWallet',
  description: 'Name that Google Wallet cards are issued under, without the service account.',
})

const currency = oneOf(['EUR', 'USD'], 'Currency of orders (ISO 4217).')
const currencyToPointRatio = Type.Number({
  exclusiveMinimum: 0, maximum: 1e9, description: 'Points that one unit of `currency` earns.',
})
const visitsWindowDays = integer('Days that visits count for reward tiers.', { minimum: 1, maximum: 3650 })
const frequencyCapPer24h = integer('Most notifying messages a card gets in 24 hours.', {
  minimum: 0, maximum: 1000,
})
const conversionWindowDays = integer('Days after a campaign in which a visit counts as its success.', {
  minimum: 1, maximum: 365,
})
const threshold = 'Whole points that can be turned into money at once.'
const thresholdValue = 'What `pointsConversionThreshold` points are worth in `currency`.'
const bonus = 'Whole points that a new account starts with.'

export const LoyaltySettings = object({
  tokens: list(Token, 'Point contracts, one a network.'),
  currency: optional(currency),
  currencyToPointRatio: optional(currencyToPointRatio),
  pointsConversionThreshold: optional(points(threshold)),
  pointsConversionThresholdValue: optional(money(thresholdValue)),
  visitsWindowDays: optional(visitsWindowDays),
  welcomeBonus: optional(points(bonus)),
  frequencyCapPer24h,
  conversionWindowDays,
  appleWallet: optional(appleWallet),
  googleWallet: optional(googleWallet),
}, {
  title: 'ApplicationLoyaltySettings', description: 'Settings of points and campaigns; unset members are left out.',
})

export const LoyaltySettingsPatch = object({
  currency: clearable(currency),
  currencyToPointRatio: clearable(currencyToPointRatio),
  pointsConversionThreshold: clearablePoints(threshold),
  pointsConversionThresholdValue: clearableMoney(thresholdValue),
  visitsWindowDays: clearable(visitsWindowDays),
  welcomeBonus: clearablePoints(bonus),
  frequencyCapPer24h: clearable(frequencyCapPer24h),
  conversionWindowDays: clearable(conversionWindowDays),
  appleWallet: clearable(appleWallet),
  googleWallet: clearable(googleWallet),
}, {
  title: 'ApplicationLoyaltySettingsPatch',
  description: 'Points and campaigns; null clears a member or brings its default back.',
})
export type LoyaltySettingsPatch = Static<typeof LoyaltySettingsPatch>

/** What is stored of them: the members that were set, amounts as text. */
export type StoredLoyaltySettings = Partial<Omit<Static<typeof LoyaltySettings>, 'tokens'>>
