import type { Check, OpenPassport, Standing, ToldMember } from '../features/dpp/index.ts'

type Passport = OpenPassport['passport']
type Ownership = OpenPassport['ownership'][number]

/** Everything that the page of a passport says by itself. What a language lacks is a type error. */
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
  documents: string
  belongsTo: string
  parents: Record<OpenPassport['parents'][number]['kind'], string>
  claim: { head: string; told: string; field: string; button: string; wrong: string }
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
}
