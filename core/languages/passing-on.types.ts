import type { ProblemCode } from '../kernel/problem-codes.ts'
import type { MailPart } from '../kernel/text/mail-text.ts'

/** The states of an offer that have words of their own. */
type OfferState = 'open' | 'accepted' | 'completed' | 'failed' | 'declined' | 'withdrawn' | 'expired'

/** The texts of the pages where an owner passes a passport on, and where somebody gets it. */
export interface PassingOnWords {
  /** The link on the passport of its owner. */
  action: string
  title: (name: string) => string
  head: string
  intro: string
  /** Before the sign-in of an owner who has no fresh code. */
  prove: string
  email: string
  offerByEmail: string
  callingCode: string
  phone: string
  offerByPhone: string
  /** What happens then. */
  note: (days: number) => string
  notYours: { head: string; text: string }
  closed: { head: string; text: string }
  back: string
  refusals: Readonly<Partial<Record<ProblemCode, string>>>
  refused: string
  /** The page of the link. */
  link: {
    title: (name: string) => string
    intro: (brand: string) => string
    signIn: string
    text: string
    accept: string
    decline: string
    other: string
    declined: { head: string; text: string }
    broken: { head: string; text: string }
  }
  /** The page that follows the token to whoever accepted it. */
  job: {
    waiting: { head: string; text: string; bar: string }
    done: { head: string; text: string }
    failed: { head: string; text: string; again: string }
  }
  /** The list of the offers that somebody has made and got. */
  list: {
    head: string
    to: (address: string) => string
    received: string
    until: (day: string) => string
    made: Readonly<Record<OfferState, string>>
    got: Readonly<Record<OfferState, string>>
    withdraw: string
    sent: string
  }
  message: {
    subject: (product: string, brand: string) => string
    mail: (product: string, brand: string, address: string, days: number) => readonly MailPart[]
    text: (product: string, brand: string, address: string) => string
  }
}

/** The texts for people who hold an item whose passport names nobody like them. */
export interface OwningWords {
  /** The link on the passport. */
  action: string
  head: string
  text: (brand: string) => string
  field: string
  fieldUse: (brand: string) => string
  button: string
  tooMany: string
  sent: { head: string; text: (brand: string) => string }
  message: {
    approved: {
      subject: (product: string, brand: string) => string
      mail: (product: string, brand: string, address: string) => readonly MailPart[]
      text: (product: string, brand: string, address: string) => string
    }
    declined: {
      subject: (product: string, brand: string) => string
      mail: (product: string, brand: string) => readonly MailPart[]
      text: (product: string, brand: string) => string
    }
  }
}
