import { networkNames } from '../../chains/networks.ts'
import {
  Type,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  string,
  type Static,
  type TSchema,
} from '../../kernel/schema.ts'

/** Creates an optional member of a patch; null clears it. */
export const clearableMember = <S extends TSchema>(schema: S) => optional(nullable(schema))

/** Creates the schema of an absolute http or https address. */
export const webAddress = (description: string) =>
  string(description, { maxLength: 2048, format: 'uri', pattern: '^[Hh][Tt]{2}[Pp][Ss]?://[^/?#]' })

const Token = object(
  {
    address: string('Address of the contract on its network.'),
    name: string('Name that the contract gives itself.'),
    symbol: string('Short name of one token.'),
    network: oneOf(networkNames, 'Network the contract is deployed on.'),
  },
  { title: 'ApplicationToken', description: 'A contract of the application, recorded when it was deployed.' },
)

export const DppSettings = object(
  {
    tokens: list(Token, 'Passport contracts, oldest first: one a network, a further one each time the newest is full.'),
  },
  {
    title: 'ApplicationDppSettings',
    description: 'Settings of product passports; read only.',
  },
)

const pointsText = (description: string) => string(description, { pattern: '^(0|[1-9][0-9]{0,30})$' })
/**
 * Creates the schema of an amount of points in a patch: an integer, a decimal text, or null to clear it. All three are
 * in one union because a nested union would hide the descriptions.
 */
const clearablePoints = (description: string) =>
  optional(
    Type.Union([
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }),
      pointsText(description),
      Type.Null(),
    ]),
  )
const moneyText = (description: string) =>
  string(description, { pattern: '^(0|[1-9][0-9]{0,14})([.][0-9]{1,8})?$', examples: ['10.00'] })
const clearableMoney = (description: string) =>
  optional(Type.Union([Type.Number({ minimum: 0, maximum: 1e14, description }), moneyText(description), Type.Null()]))

const appleWallet = object(
  {
    passTypeIdentifier: string('Pass type as registered with Apple.', {
      pattern: '^pass[.][A-Za-z0-9.-]{1,200}$',
    }),
    teamIdentifier: string('Team of the pass type.', { pattern: '^[A-Z0-9]{10}$' }),
  },
  {
    title: 'ApplicationAppleWallet',
    description: 'Names that Apple Wallet cards are issued under, without the certificate.',
  },
)
const googleWallet = object(
  {
    issuerId: string('Issuer account of the Google Wallet API.', { pattern: '^[0-9]{1,20}$' }),
  },
  {
    title: 'ApplicationGoogleWallet',
    description: 'Name that Google Wallet cards are issued under, without the service account.',
  },
)

const currency = oneOf(['EUR', 'USD'], 'Currency of orders (ISO 4217).')
const currencyToPointRatio = Type.Number({
  exclusiveMinimum: 0,
  maximum: 1e9,
  description: 'Points that one unit of `currency` earns.',
})
const visitsWindowDays = integer('Days that visits count for reward tiers.', { minimum: 1, maximum: 3650 })
const frequencyCapPer24h = integer('Most notifying messages a card gets in 24 hours.', {
  minimum: 0,
  maximum: 1000,
})
const conversionWindowDays = integer('Days after a campaign in which a visit counts as its success.', {
  minimum: 1,
  maximum: 365,
})
const thresholdDescription = 'Whole points that can be turned into money at once.'
const thresholdValueDescription = 'What `pointsConversionThreshold` points are worth in `currency`.'
const bonusDescription = 'Whole points that a new account starts with.'

export const LoyaltySettings = object(
  {
    tokens: list(Token, 'Point contracts, one a network.'),
    currency: optional(currency),
    currencyToPointRatio: optional(currencyToPointRatio),
    pointsConversionThreshold: optional(pointsText(thresholdDescription)),
    pointsConversionThresholdValue: optional(moneyText(thresholdValueDescription)),
    visitsWindowDays: optional(visitsWindowDays),
    welcomeBonus: optional(pointsText(bonusDescription)),
    frequencyCapPer24h,
    conversionWindowDays,
    appleWallet: optional(appleWallet),
    googleWallet: optional(googleWallet),
  },
  {
    title: 'ApplicationLoyaltySettings',
    description: 'Settings of points and campaigns; unset members are left out.',
  },
)

export const LoyaltySettingsPatch = object(
  {
    currency: clearableMember(currency),
    currencyToPointRatio: clearableMember(currencyToPointRatio),
    pointsConversionThreshold: clearablePoints(thresholdDescription),
    pointsConversionThresholdValue: clearableMoney(thresholdValueDescription),
    visitsWindowDays: clearableMember(visitsWindowDays),
    welcomeBonus: clearablePoints(bonusDescription),
    frequencyCapPer24h: clearableMember(frequencyCapPer24h),
    conversionWindowDays: clearableMember(conversionWindowDays),
    appleWallet: clearableMember(appleWallet),
    googleWallet: clearableMember(googleWallet),
  },
  {
    title: 'ApplicationLoyaltySettingsPatch',
    description: 'Points and campaigns; null resets a member.',
  },
)
export type LoyaltySettingsPatch = Static<typeof LoyaltySettingsPatch>

/** Loyalty settings as they are stored: only the members that were set, amounts as text. */
export type StoredLoyaltySettings = Partial<Omit<Static<typeof LoyaltySettings>, 'tokens'>>
