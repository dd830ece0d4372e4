import type { Code } from '../kernel/codes.ts'
import type { Check, OpenPassport, Standing, ToldMember } from '../features/dpp/index.ts'

type Passport = OpenPassport['passport']
type Ownership = OpenPassport['ownership'][number]

/** Everything that the pages for everybody say by themselves. What a language lacks is a type error. */
export interface Words {
  title: (name: string) => string
  skip: string
  language: string
  status: Record<Exclude<Passport['status'], 'draft'>, string>
  /** A heading and what it means, for each way that a certificate may stand. */
  standing: Record<Standing, { head: string; told: (organization: string) => string }>
  hostedOutOfReach: string
  renewing: string
  notInOrder: string
  /** Stands before what would be so if a check could be carried out. */
  notJudged: string
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
  product: string
  members: Record<ToldMember, string>
  yes: string
  no: string
  /** Of what is folded: that so many more are there, and that all of it is. */
  more: (count: number) => string
  whole: string
  documents: string
  belongsTo: string
  parents: Record<OpenPassport['parents'][number]['kind'], string>
  claim: {
    head: string; told: string; field: string; button: string; wrong: string
    /** For who has no link, and the link for that. */
    without: string; byContact: string
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

/** What the pages behind a magic link say. */
export interface ClaimWords {
  title: (name: string) => string
  intro: string
  email: string
  sendCode: string
  callingCode: string
  phone: string
  textCode: string
  lookFirst: string
  /** Stands before an address, and after it. */
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
  /** What may be refused; what is not there is said in English. */
  refusals: Partial<Record<Code, string>>
  /** Stands before what is wrong with a value. */
  check: string
  broken: { head: string; told: string; see: string }
  closed: { head: string; told: string }
  waiting: { head: string; told: string; bar: string }
  done: { head: string; told: string; transaction: string; token: string; see: string }
  failed: { head: string; told: string; again: string }
}

/** What the pages of the resolver of GS1 Digital Links say. */
export interface ResolverWords {
  linksOf: (name: string) => string
  product: string
  which: string
  choose: string
  unknown: { head: string; told: string }
  wrong: string
  /** By the part of the link that is wrong, where the language has its own words for it. */
  refusals: Record<string, string>
}
