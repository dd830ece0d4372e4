import type { ProblemCode } from '../../kernel/problem-codes.ts'
import type { Check, PassportPage, CertificateStanding } from '../../features/dpp/index.ts'

type Passport = PassportPage['passport']
type Ownership = PassportPage['ownership'][number]

/** The texts of the public pages. A text that a language lacks is a type error. */
export interface Words {
  title: (name: string) => string
  skip: string
  language: string
  status: Record<Exclude<Passport['status'], 'draft'>, string>
  /** The heading and its meaning for each state of a certificate. */
  standing: Record<CertificateStanding, { head: string; text: (organization: string) => string }>
  hostedOutOfReach: string
  renewing: string
  notInOrder: string
  /** Stands before the text of a successful check if the check could not be carried out. */
  notChecked: string
  checkedOn: (day: string) => string
  whatWasChecked: string
  checks: Record<Check['check'], { good: string; bad: string }>
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
  parents: Record<PassportPage['parents'][number]['kind'], string>
  claim: {
    head: string
    text: string
    field: string
    button: string
    wrong: string
    /** The text for people without a link, and the link that it leads to. */
    without: string
    byContact: string
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
  events: Record<Ownership['type'], string>
  from: string
  to: string
  transaction: string
  claiming: ClaimWords
  resolver: ResolverWords
}

/** The texts of the pages behind a magic link. */
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
  /** The texts of problems; a problem that is missing here is shown in English. */
  refusals: Partial<Record<ProblemCode, string>>
  /** Stands before what is wrong with a value. */
  check: string
  broken: { head: string; text: string; see: string }
  closed: { head: string; text: string }
  waiting: { head: string; text: string; bar: string }
  done: { head: string; text: string; transaction: string; token: string; see: string; all: string }
  failed: { head: string; text: string; again: string }
}

/** The texts of the pages of the resolver of GS1 Digital Links. */
export interface ResolverWords {
  linksOf: (name: string) => string
  product: string
  which: string
  choose: string
  unknown: { head: string; text: string }
  wrong: string
  /** The texts by the part of the link that is wrong, if the language has its own words for it. */
  refusals: Record<string, string>
}
