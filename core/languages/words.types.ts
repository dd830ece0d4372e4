import type { ProblemCode } from '../kernel/problem-codes.ts'
import type { MailPart } from '../kernel/text/mail-text.ts'
import type { WalletWords } from './wallets.types.ts'
import type { OwningWords, PassingOnWords } from './passing-on.types.ts'

/**
 * The words of a language: everything that people read who are not members, on public pages and in messages. A text that
 * a language lacks is a type error. What is null is said in the API's own words, which are English.
 */
export interface Words extends SiteWords, PassportWords {
  notices: NoticeWords
  resolver: ResolverWords
  card: CardWords
  claiming: ClaimWords
  passingOn: PassingOnWords
  owning: OwningWords
  me: MeWords
  wallets: WalletWords
  product: ProductWords
  report: ReportWords
}

/** What a card in the wallet of a phone says beside what `/me` says too. */
export interface CardWords {
  /** What the card is, for people who hear instead of see. */
  description: (program: string) => string
  /** The label of the number that the till reads. */
  member: string
  /** The label of the newest message. */
  news: string
  /** Stands for the newest message while there is none. */
  noNews: string
}

/** What all public pages have in common, the pages with few words, and messages. */
export interface SiteWords {
  /** The name of the language in that language. */
  name: string
  /** The region that decides how dates and numbers are written, such as `fr-FR`. */
  region: string
  skip: string
  /** What the links to the other languages are called. */
  language: string
  /** Says in which language a text is that is not in the page's. @param language its name in the page's */
  inLanguage: (language: string) => string
  /** The heading of how the brand can be reached. */
  help: string
  front: FrontWords
  callback: CallbackWords
  problems: ProblemPageWords
  code: CodeMessageWords
}

/** The texts of the page at the address of the platform itself. */
interface FrontWords {
  head: string
  text: string
  enter: string
  enterText: string
  developersHead: string
  reference: string
  buyersHead: string
  buyersText: string
}

/** The texts of the page that people see who come back from a provider of identities and are not signed in. */
interface CallbackWords {
  title: string
  failures: Readonly<Record<'ended' | 'refused' | 'unproven' | 'unavailable' | 'notEnabled', string>>
  again: string
}

/** The statuses of problems that have words of their own; the others are told as 400 or 500. */
type ProblemStatus = 400 | 401 | 403 | 404 | 406 | 408 | 409 | 413 | 415 | 422 | 429 | 500 | 503

/** The heading and the text of a page that says what went wrong. */
export interface MistakeWords {
  heading: string
  message: string
}

interface ProblemPageWords {
  pages: Readonly<Record<ProblemStatus, MistakeWords>>
  /** Stands in place of 400 and 404 where the address is that of a product. */
  product: MistakeWords
  /** The links that lead on. */
  ways: Readonly<Record<'start' | 'console' | 'reference' | 'again', string>>
  /** Stands before the identifier of a request. */
  request: string
}

/** The messages with a one-time code. */
interface CodeMessageWords {
  subject: (code: string, sender: string) => string
  mail: (code: string, sender: string, minutes: number) => readonly MailPart[]
  /**
   * The text message. Its letters are those of GSM 03.38, and it has at most 74 of them beside the name of the sender,
   * so that any name of 60 letters fits into two parts.
   */
  text: (code: string, sender: string, minutes: number) => string
}

type Check = 'proof' | 'issuer' | 'key' | 'status' | 'validity' | 'anchor' | 'schema'

type Standing =
  'verified' | 'failed' | 'suspended' | 'revoked' | 'none' | 'pending' | 'unreachable' | 'unknown' | 'archived'

/** The texts of what a page tells about a product. A text that a language lacks is a type error. */
export interface ProductWords {
  /** The names of all members that UNTP has anywhere in a product. */
  members: Readonly<Record<string, string>>
  headings: {
    materials: string
    performance: string
    dimensions: string
    origin: string
    people: string
    packaging: string
    labels: string
    about: string
    more: string
  }
  /** What documents and texts are for. */
  purposes: Readonly<Record<'care' | 'repair' | 'recycling' | 'proofs' | 'other', string>>
  /** The roles of parties, in UNTP's names. */
  roles: Readonly<Record<string, string>>
  granularities: Readonly<Record<string, string>>
  /** Units of UN/ECE Recommendation 20 that are words. */
  units: Readonly<Record<string, string>>
  /** The heading of what a brand tells of itself. */
  aboutBrand: (brand: string) => string
  /** What documents are, by their link type in the GS1 Web Vocabulary. */
  linkTypes: Readonly<Record<string, string>>
  /** Kinds of files. */
  files: Readonly<Record<'picture' | 'video' | 'sound' | 'table' | 'text', string>>
  /** The heading of the types of documents as programs name them. */
  filesHead: string
  /** The heading of what is not shown at once. */
  details: string
  /** What a picture of shares says to those who do not see it. @param shares as "Cotton 80 %" */
  shares: (shares: string) => string
  recycled: (share: string) => string
  from: (country: string) => string
  hazardous: string
  notHazardous: string
  /** The gallery, for those who do not see it. */
  pictures: string
  picture: (number: number, of: number) => string
  /** Who signed a passport, on which day. A name alone proves nothing, and the text says so. */
  signedByDomain: (domain: string, day: string) => string
  signedByName: (name: string, day: string) => string
  /** What stands on chain, in the words of experts. */
  experts: string
  /** The state of a passport of the reader. */
  yours: string
  seeYours: string
  /** What stands beneath a good certificate that says less than readers may think. */
  cautions: Record<'unconfirmed' | 'ofModel', string>
  repairAction: string
}

/** The texts of the public page of a passport. */
export interface PassportWords {
  title: (name: string) => string
  status: Readonly<Record<'published' | 'claimed' | 'archived', string>>
  /** The heading and its meaning for each state of a certificate. */
  standing: Readonly<Record<Standing, { head: string; text: (organization: string) => string }>>
  hostedOutOfReach: string
  renewing: string
  notInOrder: string
  /** Stands before the text of a successful check if the check could not be carried out. */
  notChecked: string
  checkedOn: (day: string) => string
  whatWasChecked: string
  checks: Readonly<Record<Check, { good: string; bad: string }>>
  mark: string
  issuer: string
  byDomain: (domain: string) => string
  withoutDomain: string
  keptBy: (organization: string) => string
  certified: string
  credential: string
  withProof: string
  asToken: string
  receipt: string
  receiptLink: string
  yes: string
  no: string
  /** Labels of folded content: `more` says how many more there are, `whole` opens all of it. */
  more: (count: number) => string
  whole: string
  belongsTo: string
  parents: Readonly<Record<'model' | 'batch', string>>
  claim: {
    head: string
    text: string
    /** The way to the form for a link, at the head of the page. */
    withLink: string
    /** What stands above the form for a link. */
    linkHead: string
    field: string
    button: string
    wrong: string
    /** What people without a link do, and what comes of it. */
    without: { head: string; text: (brand: string) => string }
  }
  onChain: string
  passport: string
  token: string
  network: string
  owner: string
  contract: string
  minted: string
  notYet: string
  history: string
  historyLink: string
  events: Readonly<Record<'mint' | 'claim' | 'transfer', string>>
  from: string
  to: string
  transaction: string
}

type Withdrawal = Readonly<Record<'revocation' | 'suspension', { head: string; text: string }>>

/** The texts of pages about what is unknown, withdrawn or not proven about a product. */
export interface NoticeWords {
  unregistered: {
    serial: string
    batch: string
    /** What was scanned, and what the page shows instead. */
    text: (numbers: string) => string
    numbers: { serial: (number: string) => string; batch: (number: string) => string }
    and: string
  }
  withdrawn: Readonly<Record<'own' | 'batch' | 'model', Withdrawal>>
  /** The text for a passport that cannot be claimed because it is archived. */
  archived: string
  /** The text of a link to the batch or the model that is withdrawn. */
  see: Readonly<Record<'batch' | 'model', string>>
  publisher: {
    byDomain: (domain: string) => string
    byGtin: (name: string, gtin: string) => string
    byName: (name: string) => string
  }
  contested: { head: string; text: (gtin: string) => string; nothing: string }
}

/** The texts of the pages of the resolver of GS1 Digital Links. */
export interface ResolverWords {
  linksOf: (name: string) => string
  product: string
  which: string
  choose: string
  unknown: { head: string; text: string }
  wrong: string
  /** The texts by the part of the link that is wrong. */
  refusals: Readonly<Record<'gtin' | 'variant' | 'batch' | 'serial' | 'linkType' | 'path', string>> | null
}

/** The texts of the pages behind a magic link, and of the forms by which buyers sign in. */
export interface ClaimWords {
  title: (name: string) => string
  intro: string
  email: string
  sendCode: string
  callingCode: string
  phone: string
  textCode: string
  withGoogle: string
  withBrand: (brand: string) => string
  lookFirst: string
  /** The texts before and after the address that a code was sent to. */
  sentTo: string
  goodFor: string
  code: string
  signIn: string
  anotherCode: string
  signedIn: string
  /** Stands before an address. */
  signedInAs: string
  once: string
  onceByLink: string
  button: string
  /** Why a form was refused, by the code of the problem. */
  refusals: Readonly<Partial<Record<ProblemCode, string>>>
  /** The text for a form that was refused for any other reason. */
  refused: string | null
  broken: { head: string; text: string; see: string }
  closed: { head: string; text: string }
  waiting: { head: string; text: string; bar: string }
  done: { head: string; text: string; transaction: string; token: string; see: string; all: string }
  failed: { head: string; text: string; again: string }
}

/** The kinds of entries of an account that have words of their own. */
type EntryKind = 'mint' | 'burn' | 'order' | 'welcome' | 'assignment' | 'adjust' | 'expire' | 'reverse' | 'visit'

/** The texts of the page where buyers see what they have. */
export interface MeWords {
  title: (application: string) => string
  intro: string
  unnamed: { head: string; text: string }
  signOut: string
  points: string
  /** Stands after a number of points. */
  pointsAfter: (points: bigint) => string
  pending: (points: bigint) => string
  /** Both stand before a day. */
  waiting: (points: bigint) => string
  expiring: (points: bigint) => string
  below: string
  tier: string
  visits: string
  toNextTier: (visits: number, tier: string) => string
  entries: string
  noEntries: string
  kinds: Readonly<Record<EntryKind, string>>
  what: string
  balance: string
  passports: string
  noPassports: string
  since: (day: string) => string
  archived: string
  morePassports: (count: number) => string
}

/** The texts of the page where anybody reports something about a passport. */
export interface ReportWords {
  title: (name: string) => string
  head: string
  intro: (organization: string) => string
  kind: string
  kinds: Readonly<Record<'fake' | 'stolen' | 'defect' | 'other', string>>
  text: string
  textUse: string
  email: string
  emailUse: (organization: string) => string
  button: string
  /** What is wrong with a field, by its name. */
  wrong: Readonly<Record<string, string>>
  tooMany: string
  sent: { head: string; text: (organization: string) => string }
  back: string
}
