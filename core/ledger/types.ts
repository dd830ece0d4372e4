/** A set of balances of one kind of thing. `subject` is what it is about; `network` is null without a chain. */
export interface Book {
  id: string
  organization: string
  name: string
  subject: string
  network: string | null
  /** Whether what is credited is kept in lots, out of which debits take. */
  hasLots: boolean
}

/** What an owner has in a book. All amounts are in the smallest unit of the book. */
export interface OwnerBalance {
  /** What can be spent or is held, minus the debt. Below zero if more was taken than there was. */
  amount: bigint
  /** What cannot be spent yet. */
  pending: bigint
  held: bigint
  /** What was taken beyond what there was. The next credits pay it. */
  debt: bigint
  /** What is final on a chain. */
  settled: bigint
}

/**
 * An entry to post. `operation` identifies it for ever: the same operation is posted once, whoever repeats it. See
 * `hashOperation`.
 */
interface NewEntry {
  operation: string
  kind: string
  book: Book
  owner: string
  /** Above zero. */
  amount: bigint
  occurredAt: Date
}
export interface NewCredit extends NewEntry {
  /** When the credit can be spent; from now on without it, or if it is over. Only in a book with lots. */
  activatesAt?: Date
  /** When what is left of it expires; never without it. After `activatesAt`. Only in a book with lots. */
  expiresAt?: Date
}
export interface NewDebit extends NewEntry {
  /** Whether the debit is posted although the owner has less; what is missing becomes debt. */
  mayGoBelowZero: boolean
}

/**
 * What became of an entry. `known`: its operation was posted before, with `amount`, which is signed like that of the
 * posting. `refused`: the owner has only `available`.
 */
export type PostingResult =
  | {
      status: 'posted' | 'known'
      entry: string
      operation: string
      owner: string
      amount: bigint
      balance: OwnerBalance
    }
  | { status: 'refused'; operation: string; owner: string; available: bigint }

/** An owner in a book. */
export interface BookOwner {
  book: Book
  owner: string
}

/** What an owner has now that lots have become active or have expired. */
export interface ChangedBalance {
  owner: string
  balance: OwnerBalance
}

/** A lot that expired, and the entry that took what was left of it. */
export interface ExpiredLot extends ChangedBalance {
  lot: string
  entry: string
  operation: string
  /** What was left. Above zero. */
  amount: bigint
  expiresAt: Date
}

/** A part of an entry that is to be taken back. */
export interface NewReversal {
  /** Identifies the reversal for ever. */
  operation: string
  kind: string
  book: Book
  owner: string
  /** The entry that is taken back. */
  entry: string
  /** How much of it. Above zero, and not more than is left of it. */
  amount: bigint
  occurredAt: Date
}

/** An amount that is kept from being spent until it is taken or released. */
export interface NewHold {
  /** Identifies the hold for ever. */
  operation: string
  book: Book
  owner: string
  /** Above zero. */
  amount: bigint
  /** When it is released, if nobody has decided before. */
  expiresAt?: Date
}

/** What became of a hold. `known`: it was made before. `refused`: the owner has only `available`. */
export type HoldResult =
  | { status: 'held' | 'known'; operation: string; amount: bigint; balance: OwnerBalance }
  | { status: 'refused'; operation: string; available: bigint }

/** What a chain made of an entry. `undone`: the chain dropped what had been final, so the entry is on its way again. */
export interface EntryOutcome {
  entry: string
  status: 'final' | 'failed' | 'undone'
  contract: string | null
  transactionHash: string | null
  reason: string | null
  at: Date | null
}
