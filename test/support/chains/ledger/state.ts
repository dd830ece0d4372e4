import { createHash, createPublicKey, verify } from 'node:crypto'

/** Why the ledger does not take or apply a transaction. */
export type LedgerFailure =
  | 'MALFORMED'
  | 'MEMO_TOO_LONG'
  | 'TOO_MANY_OPERATIONS'
  | 'BAD_SIGNATURE'
  | 'UNKNOWN_ACCOUNT'
  | 'DUPLICATE'
  | 'EXPIRED'
  | 'BAD_SEQUENCE'
  | 'INSUFFICIENT_BALANCE'
  | 'ACCOUNT_EXISTS'
  | 'TOKEN_EXISTS'
  | 'NOT_OWNER'

interface Account {
  sequence: number
  balance: number
}
interface Operation {
  kind: string
  account?: string
  issuer?: string
  token?: string
  to?: string
}
interface Transaction {
  hash: string
  source: string
  sequence: number
  expiresAt: number
  memo: string
  operations: Operation[]
}
export interface AppliedTransaction {
  hash: string
  memo: string
  ledger: number
  /** Milliseconds since 1970. */
  closedAt: number
  failure: LedgerFailure | null
}
export interface Ledger {
  number: number
  hash: string
  closedAt: number
}

const networkName = 'ledger of the tests'
const publicKeyPrefix = Buffer.from('302a300506032b6570032100', 'hex')
const maxMemoDigits = 64
const maxOperations = 20
/** What each operation costs its source account. */
const operationPrice = 10

const isText = (value: unknown, pattern: RegExp): value is string => typeof value === 'string' && pattern.test(value)
const accountPattern = /^L[0-9a-f]{64}$/
const tokenPattern = /^0x[0-9a-f]{64}$/

/**
 * The rules of a ledger of accounts with sequence numbers. They share no code with the family that sends to it, so that
 * a mistake there does not go unnoticed.
 */
export class LedgerState {
  readonly #accounts = new Map<string, Account>()
  readonly #owners = new Map<string, string>()
  readonly #applied = new Map<string, AppliedTransaction>()
  readonly #ledgers: Ledger[] = []
  #pending: Transaction[] = []

  readonly #now: () => number

  /** @param now the ledger's clock, in milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now
    this.closeLedger()
  }

  /** Opens an account, as the operators of the network do. */
  openAccount(account: string, balance: number): void {
    this.#accounts.set(account, { sequence: this.#accounts.get(account)?.sequence ?? 100, balance })
  }

  /** Uses the next number of an account, as another holder of its key would. */
  useNumber(account: string): void {
    const own = this.#accounts.get(account)
    if (own) own.sequence++
  }

  /** Returns whether something waits, and all that waits has expired. */
  hasExpired = () => this.#pending.length > 0 && this.#pending.every(({ expiresAt }) => expiresAt < this.#now())

  getAccount = (account: string) => this.#accounts.get(account)
  getOwner = (issuer: string, token: string) => this.#owners.get(`${issuer} ${token}`) ?? null
  getTransaction = (hash: string) => this.#applied.get(hash)
  getLedger = (number: number) => this.#ledgers[number - 1]
  getHead = (): Ledger => this.#ledgers.at(-1) ?? { number: 0, hash: '', closedAt: 0 }
  findMemo = (memo: string) => this.listApplied().find((one) => one.memo === memo)
  listApplied = () => [...this.#applied.values()].filter(({ failure }) => failure === null)
  listTokens = () => [...this.#owners.keys()].map((key) => key.split(' ')[1] ?? '')

  /** Takes a signed transaction for the next ledger. @returns why it is not taken; null if it is */
  submit(raw: string): LedgerFailure | null {
    const transaction = parseEnvelope(raw)
    if (typeof transaction === 'string') return transaction
    const failure = this.#checkHead(transaction)
    if (failure === null) this.#pending.push(transaction)
    return failure
  }

  #checkHead({ hash, source, sequence, expiresAt, operations }: Transaction): LedgerFailure | null {
    const account = this.#accounts.get(source)
    if (!account) return 'UNKNOWN_ACCOUNT'
    const own = this.#pending.filter((one) => one.source === source)
    if (this.#applied.has(hash) || own.some((one) => one.hash === hash)) return 'DUPLICATE'
    if (expiresAt <= this.#now()) return 'EXPIRED'
    if (sequence !== account.sequence + own.length + 1) return 'BAD_SEQUENCE'
    const prices = [...own, { operations }].map((one) => Math.max(1, one.operations.length) * operationPrice)
    return prices.reduce((sum, price) => sum + price, 0) > account.balance ? 'INSUFFICIENT_BALANCE' : null
  }

  /** Applies what was taken. What has expired, or follows something that was not applied, is dropped without a trace. */
  closeLedger(): void {
    const closedAt = this.#now()
    const number = this.#ledgers.length + 1
    for (const transaction of this.#pending) {
      const { hash, memo, operations } = transaction
      const account = this.#accounts.get(transaction.source)
      if (!account || transaction.expiresAt < closedAt || transaction.sequence !== account.sequence + 1) continue
      account.sequence++
      account.balance -= Math.max(1, operations.length) * operationPrice
      const failure = this.check(operations)
      if (failure === null) for (const operation of operations) this.#apply(operation)
      this.#applied.set(hash, { hash, memo, ledger: number, closedAt, failure })
    }
    this.#pending = []
    const content = `${number} ${closedAt} ${this.getHead().hash}`
    this.#ledgers.push({ number, closedAt, hash: createHash('sha256').update(content).digest('hex') })
  }

  /** Checks whether operations could be applied now, each after the one before. */
  check(operations: readonly Operation[]): LedgerFailure | null {
    const opened = new Set<string>()
    const issued = new Set<string>()
    for (const { kind, account = '', issuer = '', token = '', to = '' } of operations) {
      const key = `${issuer} ${token}`
      const isKnown = (name: string) => this.#accounts.has(name) || opened.has(name)
      if (kind === 'open') {
        if (isKnown(account)) return 'ACCOUNT_EXISTS'
        opened.add(account)
        continue
      }
      if (!isKnown(issuer) || !isKnown(to)) return 'UNKNOWN_ACCOUNT'
      if (kind === 'issue' && (this.#owners.has(key) || issued.has(key))) return 'TOKEN_EXISTS'
      if (kind === 'move' && this.#owners.get(key) !== issuer) return 'NOT_OWNER'
      issued.add(key)
    }
    return null
  }

  #apply({ kind, account = '', issuer = '', token = '', to = '' }: Operation): void {
    if (kind === 'open') this.openAccount(account, 0)
    else this.#owners.set(`${issuer} ${token}`, to)
  }
}

/** Decodes signed bytes and checks everything that does not depend on the state. */
function parseEnvelope(raw: string): Transaction | LedgerFailure {
  try {
    const { text, signature, ...others } = JSON.parse(raw) as { text: string; signature: string }
    const { source, sequence, expiresAt, memo, operations, ...rest } = JSON.parse(text) as Transaction
    const isWhole = Object.keys({ ...others, ...rest }).length === 0 && Number.isSafeInteger(sequence)
    if (!isWhole || !Number.isSafeInteger(expiresAt) || !isText(source, accountPattern)) return 'MALFORMED'
    if (!isText(memo, /^([0-9a-f]{2})*$/) || !operations.every(isOperation)) return 'MALFORMED'
    if (memo.length > maxMemoDigits) return 'MEMO_TOO_LONG'
    if (operations.length > maxOperations) return 'TOO_MANY_OPERATIONS'
    const bytes = Buffer.from(`${networkName}\n${text}`)
    const key = Buffer.concat([publicKeyPrefix, Buffer.from(source.slice(1), 'hex')])
    const publicKey = createPublicKey({ key, format: 'der', type: 'spki' })
    if (!verify(null, bytes, publicKey, Buffer.from(signature, 'base64'))) return 'BAD_SIGNATURE'
    return { hash: createHash('sha256').update(bytes).digest('hex'), source, sequence, expiresAt, memo, operations }
  } catch {
    return 'MALFORMED'
  }
}

function isOperation({ kind, account, issuer, token, to, ...rest }: Operation): boolean {
  if (Object.keys(rest).length > 0) return false
  if (kind === 'open') return isText(account, accountPattern) && (issuer ?? token ?? to) === undefined
  if (kind !== 'issue' && kind !== 'move') return false
  return isText(issuer, accountPattern) && isText(token, tokenPattern) && isText(to, accountPattern)
}
