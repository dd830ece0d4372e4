/** A refusal as the real API answers it. Source: Google API design guide, AIP-193; Google Wallet, "Error codes". */
export class GoogleRefusal extends Error {
  readonly status: number
  readonly body: object
  readonly headers: Record<string, string>
  constructor(
    status: number,
    word: string,
    message: string,
    more: { reason?: string; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.status = status
    this.headers = more.headers ?? {}
    const errors = [{ message, domain: 'walletobjects', reason: more.reason ?? word }]
    this.body = { error: { code: status, message, status: word, errors } }
  }
}

/** @throws GoogleRefusal */
const refuse = (message: string): never => {
  throw new GoogleRefusal(400, 'INVALID_ARGUMENT', message)
}

/** What a member may be. */
type Rule = (value: unknown, path: string) => void

const text =
  (pattern = /^[\s\S]+$/): Rule =>
  (value, path) => {
    if (typeof value !== 'string' || !pattern.test(value)) refuse(`Invalid value at '${path}'`)
  }
const oneOf =
  (...values: string[]): Rule =>
  (value, path) => {
    if (typeof value !== 'string' || !values.includes(value)) refuse(`Invalid value at '${path}': ${String(value)}`)
  }
const https = text(/^https:\/\/[^\s/]+/)
const listOf =
  (rule: Rule, most: number): Rule =>
  (value, path) => {
    if (!Array.isArray(value) || value.length > most) return refuse(`Invalid list at '${path}'`)
    for (const [at, one] of value.entries()) rule(one, `${path}[${at}]`)
  }
/** An object with these members and no others; those whose names end in `!` have to be there. */
function object(members: Readonly<Record<string, Rule>>): Rule {
  const rules = new Map(Object.entries(members).map(([name, rule]) => [name.replace(/!$/, ''), rule]))
  const required = Object.keys(members).flatMap((name) => (name.endsWith('!') ? [name.slice(0, -1)] : []))
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(`Invalid value at '${path}'`)
    for (const [name, member] of Object.entries(value)) {
      const rule = rules.get(name)
      if (!rule) return refuse(`Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`)
      rule(member, `${path}.${name}`)
    }
    for (const name of required) if (!(name in value)) refuse(`Missing required field ${path}.${name}`)
  }
}

const translated = object({ 'language!': text(), 'value!': text() })
const localized = object({ 'defaultValue!': translated, translatedValues: listOf(translated, 100) })
const image = object({ 'sourceUri!': object({ 'uri!': https }), contentDescription: localized })
const resourceId = text(/^\d+\.[\w.-]+$/)
const balance: Rule = (value, path) => {
  object({ string: text(), int: () => undefined, double: () => undefined })(value, path)
  if (Object.keys(value as object).length !== 1) refuse(`Exactly one kind of balance at '${path}'`)
}
const textModule = object({
  id: text(),
  header: text(),
  body: text(),
  localizedHeader: localized,
  localizedBody: localized,
})

export const messageRule = object({
  id: text(),
  header: text(),
  body: text(),
  messageType: oneOf('TEXT', 'EXPIRATION_NOTIFICATION', 'TEXT_AND_NOTIFY'),
})

const classMembers = {
  issuerName: text(),
  programName: text(),
  programLogo: image,
  hexBackgroundColor: text(/^#[0-9a-f]{6}$/i),
  accountIdLabel: text(),
  localizedAccountIdLabel: localized,
  localizedProgramName: localized,
  // An issuer can ask for a review, and approves nothing itself.
  reviewStatus: oneOf('UNDER_REVIEW', 'DRAFT'),
  multipleDevicesAndHoldersAllowedStatus: oneOf('MULTIPLE_HOLDERS', 'ONE_USER_ALL_DEVICES', 'ONE_USER_ONE_DEVICE'),
  callbackOptions: object({ 'url!': https }),
  countryCode: text(/^[A-Z]{2}$/),
} as const

const objectMembers = {
  state: oneOf('ACTIVE', 'COMPLETED', 'EXPIRED', 'INACTIVE'),
  accountId: text(),
  accountName: text(),
  barcode: object({ 'type!': oneOf('QR_CODE', 'AZTEC', 'PDF_417', 'CODE_128'), value: text(), alternateText: text() }),
  loyaltyPoints: object({ label: text(), 'balance!': balance }),
  secondaryLoyaltyPoints: object({ label: text(), 'balance!': balance }),
  textModulesData: listOf(textModule, 10),
  messages: listOf(messageRule, 10),
  notifyPreference: oneOf('NOTIFY_ON_UPDATE', 'NOTIFICATION_SETTINGS_FOR_UPDATES_UNSPECIFIED'),
} as const

/** What may be sent. Source: Google Wallet API, REST resources `loyaltyclass` and `loyaltyobject`. */
export const rules = {
  newClass: object({
    ...classMembers,
    'id!': resourceId,
    'issuerName!': classMembers.issuerName,
    'programName!': classMembers.programName,
    'programLogo!': image,
    'reviewStatus!': classMembers.reviewStatus,
  }),
  changedClass: object({ ...classMembers, id: resourceId, 'reviewStatus!': classMembers.reviewStatus }),
  newObject: object({ ...objectMembers, 'id!': resourceId, 'classId!': resourceId, 'state!': objectMembers.state }),
  changedObject: object({ ...objectMembers, id: resourceId, classId: resourceId }),
  addedMessage: object({ 'message!': messageRule }),
} as const
