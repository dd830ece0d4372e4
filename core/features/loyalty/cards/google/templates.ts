import { createForLanguages, words, type Language } from '../../../../languages/index.ts'

/** What the cards of an application have in common. */
export interface ProgramContent {
  application: string
  issuerId: string
  name: string
  /** Address of the logo, from which Google fetches it. */
  logo: string
  /** As `#rrggbb`. */
  colour: string
  /** Where Google reports that cards are saved and deleted. */
  callbackUrl: string
}

/** What one card shows. Nothing of it says who the person is. */
export interface GoogleCardContent {
  /** Our identifier of the card. */
  card: string
  memberNumber: string
  /** A whole number in decimal digits, with `-` below zero. */
  points: string
  tier: string | null
  visits: number
  message: { id: string; headline: string; body: string } | null
  language: Language
}

interface LocalizedString {
  defaultValue: { language: string; value: string }
  translatedValues?: { language: string; value: string }[]
}

/** A class as it is sent. Source: Google Wallet API, REST resource `loyaltyclass`. */
export interface GoogleClass {
  id: string
  issuerName: string
  programName: string
  programLogo: { sourceUri: { uri: string }; contentDescription: LocalizedString }
  hexBackgroundColor: string
  localizedAccountIdLabel: LocalizedString
  reviewStatus: 'UNDER_REVIEW'
  multipleDevicesAndHoldersAllowedStatus: 'ONE_USER_ALL_DEVICES'
  callbackOptions: { url: string }
}

interface TextModule {
  id: string
  header: string
  body: string
}

/** The members of a card that change with what it shows. */
export interface ShownMembers {
  loyaltyPoints: { label: string; balance: { string: string } }
  textModulesData: TextModule[]
}

/** A card as it is sent. Source: Google Wallet API, REST resource `loyaltyobject`. */
export interface GoogleObject extends ShownMembers {
  id: string
  classId: string
  state: 'ACTIVE'
  accountId: string
  barcode: { type: 'QR_CODE'; value: string; alternateText: string }
  messages?: { id: string; header: string; body: string; messageType: 'TEXT' }[]
}

/** Returns the identifier that an application's class has at Google. */
export const getClassId = ({ issuerId, application }: Pick<ProgramContent, 'issuerId' | 'application'>): string =>
  `${issuerId}.${application}`

/** Returns the identifier that a card has at Google. */
export const getObjectId = (issuerId: string, card: string): string => `${issuerId}.${card}`

/** Returns the issuer and our own identifier of what Google names; null if it has another form. */
export function parseGoogleId(id: string): { issuerId: string; own: string } | null {
  const [, issuerId, own] = /^(\d{1,20})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(id) ?? []
  return issuerId === undefined || own === undefined ? null : { issuerId, own }
}

/** Creates the class of an application's cards: each is for one person, on all of their devices. */
export function createClass(program: ProgramContent): GoogleClass {
  const { name, logo, colour, callbackUrl } = program
  return {
    id: getClassId(program),
    issuerName: name,
    programName: name,
    programLogo: {
      sourceUri: { uri: logo },
      contentDescription: { defaultValue: { language: 'en', value: name } },
    },
    hexBackgroundColor: colour,
    localizedAccountIdLabel: memberNumberLabel,
    reviewStatus: 'UNDER_REVIEW',
    multipleDevicesAndHoldersAllowedStatus: 'ONE_USER_ALL_DEVICES',
    callbackOptions: { url: callbackUrl },
  }
}

function localize(texts: Readonly<Record<Language, string>>): LocalizedString {
  const [first, ...others] = Object.entries(texts).map(([language, value]) => ({ language, value }))
  return { defaultValue: first ?? { language: 'en', value: texts.en }, translatedValues: others }
}

const memberNumberLabel = localize(createForLanguages((language) => words[language].card.member))

/**
 * Creates the members of a card that change. The tier stands among the texts, which a change replaces as a whole, so that
 * one that ended is shown no longer.
 */
export function createShownMembers({ points, tier, visits, language }: GoogleCardContent): ShownMembers {
  const { me } = words[language]
  const { format } = new Intl.NumberFormat(words[language].region)
  return {
    // Google's `int` has 32 bits.
    loyaltyPoints: { label: me.points, balance: { string: format(BigInt(points)) } },
    textModulesData: [
      ...(tier === null ? [] : [{ id: 'tier', header: me.tier, body: tier }]),
      { id: 'visits', header: me.visits, body: format(visits) },
    ],
  }
}

/** Creates a whole card. A message that was sent before is on it, and notifies nobody. */
export function createObject(program: ProgramContent, content: GoogleCardContent): GoogleObject {
  const { card, memberNumber, message } = content
  return {
    id: getObjectId(program.issuerId, card),
    classId: getClassId(program),
    state: 'ACTIVE',
    accountId: memberNumber,
    barcode: { type: 'QR_CODE', value: memberNumber, alternateText: memberNumber },
    ...createShownMembers(content),
    ...(message && {
      messages: [{ id: message.id, header: message.headline, body: message.body, messageType: 'TEXT' }],
    }),
  }
}
