import { expect } from 'chai'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import {
  activateDueLots,
  commitHold,
  creditOwners,
  debitOwners,
  expireDueLots,
  HoldEndedError,
  readBalances,
  releaseExpiredHolds,
  releaseHold,
  reserveAmount,
  ReversalLimitError,
  reverseEntries,
  settleEntries,
  type Book,
  type ExpiredLot,
  type PostingResult,
} from '../../../core/ledger/index.ts'
import { createRandom } from '../../support/values/random.ts'
import { listLots } from '../../support/rows/ledger/entries.ts'
import { createOperation, formatResult } from './books.ts'
import { LedgerModel } from './model.ts'

const acts = ['credit', 'credit', 'debit', 'debit', 'reverse', 'reverse', 'hold', 'sweep', 'settle'] as const
export type Act = (typeof acts)[number]

/** What a step did in its transaction: `tell` does the same to the model and compares, once it is committed. */
export interface Step {
  act: Act
  tell(): void
}

const maxWaitMs = 3_600_000

/** The ledger and its model, to which the same random operations happen, at times that the test makes up. */
export class Rehearsal {
  readonly model = new LedgerModel()
  readonly owners: string[]
  /** Entries by operation, and operations by owner. */
  readonly #entries = new Map<string, string>()
  readonly #operations = new Map<string, string[]>()
  readonly #db: Knex
  readonly #book: Book
  readonly random: () => number
  /** Made-up time in milliseconds. */
  now = Date.now()
  done = 0
  readonly counts = new Map<string, number>()

  constructor(db: Knex, book: Book, { seed, ownerCount }: { seed: number; ownerCount: number }) {
    this.#db = db
    this.#book = book
    this.random = createRandom(seed)
    this.owners = Array.from({ length: ownerCount }, () => v7())
  }

  pick = <T>(from: readonly T[]): T => from[Math.floor(this.random() * from.length)] as T
  #drawAmount = (): bigint => BigInt(1 + Math.floor(this.random() ** 3 * 500))
  #drawWait = (): number => 1 + Math.floor(this.random() ** 2 * maxWaitMs)

  /** Some owners, none of them twice, in any order. */
  #drawOwners = (): string[] => this.owners.filter(() => this.random() < 0.2).toSorted(() => this.random() - 0.5)

  /** The newest operations of an owner, of which one is repeated, taken back or settled. */
  #listOperations = (owner: string, isFitting = (_operation: string) => true): string[] =>
    (this.#operations.get(owner) ?? []).slice(-60).filter(isFitting)

  #drawOperation(owner: string): string {
    const known = this.#listOperations(owner)
    return known.length > 0 && this.random() < 0.1 ? this.pick(known) : createOperation()
  }

  /** Does something at random in the transaction, some time after the step before. */
  async step(trx: Knex): Promise<Step> {
    this.now += Math.floor(this.random() ** 3 * maxWaitMs * 0.2)
    const act = this.pick(acts)
    return { act, tell: await this.#act(trx, act) }
  }

  #act(trx: Knex, act: Act): Promise<() => void> {
    switch (act) {
      case 'credit':
        return this.#credit(trx)
      case 'debit':
        return this.#debit(trx)
      case 'reverse':
        return this.#reverse(trx)
      case 'hold':
        return this.#hold(trx)
      case 'sweep':
        return this.#sweep(trx)
      case 'settle':
        return this.#settle(trx)
    }
  }

  async #credit(trx: Knex): Promise<() => void> {
    const items = this.#drawOwners().map((owner) => {
      const activatesAt = this.random() < 0.3 ? this.now + this.#drawWait() - 600_000 : 0
      const expiresAt = this.random() < 0.5 ? Math.max(activatesAt, this.now) + this.#drawWait() : Infinity
      return { owner, operation: this.#drawOperation(owner), amount: this.#drawAmount(), activatesAt, expiresAt }
    })
    const { now } = this
    const results = await creditOwners(
      trx,
      items.map(({ activatesAt, expiresAt, ...item }) => ({
        ...item,
        ...this.#createFacts('mint'),
        ...(activatesAt > 0 && { activatesAt: new Date(activatesAt) }),
        ...(expiresAt < Infinity && { expiresAt: new Date(expiresAt) }),
      })),
      { at: new Date(now) },
    )
    return () =>
      this.#compare(
        results,
        items.map(({ operation, owner, ...item }) => this.model.credit(operation, owner, { ...item, now })),
      )
  }

  async #debit(trx: Knex): Promise<() => void> {
    const items = this.#drawOwners().map((owner) => ({
      owner,
      operation: this.#drawOperation(owner),
      amount: this.#drawAmount(),
      mayGoBelowZero: this.random() < 0.3,
    }))
    const tellDue = await this.#workOff(
      trx,
      items.map(({ owner }) => owner),
    )
    const results = await debitOwners(
      trx,
      items.map((item) => ({ ...item, ...this.#createFacts('burn') })),
      { at: new Date(this.now) },
    )
    return () => {
      tellDue()
      this.#compare(
        results,
        items.map((item) => this.model.debit(item.operation, item.owner, item.amount, item.mayGoBelowZero)),
      )
    }
  }

  async #reverse(trx: Knex): Promise<() => void> {
    const owner = this.pick(this.owners)
    const tellDue = await this.#workOff(trx, [owner])
    const reversed = this.pick(this.#listOperations(owner, (operation) => this.model.getLeft(operation) > 0n))
    if (reversed === undefined) return tellDue
    const left = this.model.getLeft(reversed)
    const amount = this.random() < 0.5 ? left : 1n + (left * BigInt(Math.floor(this.random() * 110))) / 100n
    const repeated = this.random() < 0.1
    const item = { owner, operation: createOperation(), entry: this.#entries.get(reversed) ?? '', amount }
    const reverse = () => reverseEntries(trx, [{ ...item, ...this.#createFacts('reverse') }])
    if (amount > left) {
      const refusal: unknown = await reverse().catch((error: unknown) => error)
      return () => {
        tellDue()
        expect(refusal).to.be.instanceOf(ReversalLimitError).and.to.have.property('left', left)
        expect(this.model.reverse(item.operation, reversed, amount)).to.equal('too much')
        this.#count('too much')
      }
    }
    const results = [...(await reverse()), ...(repeated ? await reverse() : [])]
    return () => {
      tellDue()
      this.#compare(
        results,
        results.map(() => this.model.reverse(item.operation, reversed, amount)),
      )
      expect(results.map((one) => one.left)).to.deep.equal(results.map(() => left - amount))
      this.#label(`reversed ${(results[0]?.amount ?? 0n) < 0n ? 'credit' : 'debit'}`)
    }
  }

  async #hold(trx: Knex): Promise<() => void> {
    const owner = this.pick(this.owners)
    const tellDue = await this.#workOff(trx, [owner])
    const { now } = this
    const [book, at] = [this.#book, { at: new Date(now) }]
    // Most holds of an owner have ended, so the newest one is taken more often than others.
    const hold = this.pick(this.model.listHolds(owner).slice(this.random() < 0.6 ? -1 : -10)) ?? createOperation()
    const kind = this.pick(['reserve', 'commit', 'commit', 'release'] as const)
    if (kind === 'reserve' || !this.model.listHolds(owner).includes(hold)) {
      const operation = this.random() < 0.9 ? createOperation() : hold
      const expiresAt = this.random() < 0.5 ? now + this.#drawWait() : Infinity
      const item = { operation, book, owner, amount: this.#drawAmount() }
      const made = await reserveAmount(
        trx,
        { ...item, ...(expiresAt < Infinity && { expiresAt: new Date(expiresAt) }) },
        at,
      )
      return () => {
        tellDue()
        const text = made.status === 'refused' ? `refused ${made.available}` : `${made.status} ${made.amount}`
        expect(text).to.equal(this.model.reserve(operation, owner, item.amount, expiresAt))
        this.#count(`hold ${made.status}`)
      }
    }
    if (kind === 'release') {
      const released = await releaseHold(trx, { hold, book, owner })
      return () => {
        tellDue()
        expect(released).to.equal(this.model.release(hold, owner))
        this.#count('hold released')
      }
    }
    const operation = createOperation()
    const commit = { hold, operation, owner, ...this.#createFacts('burn') }
    const result = await commitHold(trx, commit, at).catch((error: unknown) => {
      if (error instanceof HoldEndedError) return 'ended' as const
      throw error
    })
    return () => {
      tellDue()
      const expected = this.model.commit(hold, operation, owner, now)
      if (result !== 'ended') {
        this.#compare([result], [expected])
        return this.#label(`commit ${result.status}`)
      }
      expect(expected).to.equal('ended')
      this.#count('commit ended')
    }
  }

  /** What a worker does: lots that are due, and holds that are over. */
  async #sweep(trx: Knex): Promise<() => void> {
    const owners = this.#drawOwners()
    const [{ now }, { model }] = [this, this]
    if (this.random() < 0.3) {
      await activateDueLots(
        trx,
        owners.map((owner) => ({ book: this.#book, owner })),
        { at: new Date(now) },
      )
      return () => owners.forEach((owner) => model.activate(owner, now))
    }
    const released = await releaseExpiredHolds(trx, { at: new Date(now), maxHolds: 1_000 })
    const tellDue = await this.#workOff(trx, owners)
    return () => {
      expect(released).to.equal(model.releaseExpired(now))
      tellDue()
    }
  }

  async #workOff(trx: Knex, owners: readonly string[]): Promise<() => void> {
    const { now } = this
    const { expired } = await expireDueLots(
      trx,
      owners.map((owner) => ({ book: this.#book, owner })),
      { at: new Date(now) },
    )
    return () => {
      for (const owner of owners)
        this.#compareExpired(
          owner,
          now,
          expired.filter((one) => one.owner === owner),
        )
    }
  }

  #compareExpired(owner: string, now: number, expired: readonly ExpiredLot[]): void {
    const expected = this.model.workOff(owner, now)
    expect(expired.map(({ amount, expiresAt }) => `${amount} ${expiresAt.getTime()}`)).to.deep.equal(
      expected.map(({ amount, lot }) => `${amount} ${lot.expiresAt}`),
    )
    expected.forEach(({ lot }, at) => {
      const { operation, entry } = expired[at]!
      this.model.expire(operation, owner, lot)
      this.#note({ operation, entry, owner })
      this.#label('expired')
      this.#count('posted')
    })
  }

  async #settle(trx: Knex): Promise<() => void> {
    const status = this.pick(['final', 'final', 'final', 'failed', 'undone'] as const)
    const operations = [...this.#operations.values()].flat().filter(() => this.random() < 0.02)
    const facts = { contract: null, transactionHash: null, reason: null, at: new Date() }
    await settleEntries(
      trx,
      operations.map((operation) => ({ ...facts, status, entry: this.#entries.get(operation) ?? '' })),
    )
    return () => {
      for (const operation of operations) {
        this.model.settle(operation, status)
        this.#count(`settled ${status}`)
      }
    }
  }

  #createFacts = (kind: string) => ({ kind, book: this.#book, occurredAt: new Date(this.now) })

  #compare(results: readonly PostingResult[], expected: readonly string[]): void {
    const found = results.map(formatResult)
    if (found.join() !== expected.join())
      throw new Error(`Operation ${this.done}: ${found.join(', ')} is not ${expected.join(', ')}`)
    for (const result of results) {
      this.#count(result.status)
      if (result.status === 'posted') this.#note(result)
    }
  }

  #note({ operation, entry, owner }: { operation: string; entry: string; owner: string }): void {
    this.#entries.set(operation, entry)
    this.#operations.set(owner, [...(this.#operations.get(owner) ?? []).slice(-60), operation])
  }

  #count(what: string): void {
    this.done++
    this.#label(what)
  }

  /** Counts what an operation was that is counted already. */
  #label(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  /** Compares everything that the ledger keeps of the owners with the model. @returns the number of compared balances */
  async compareAll(): Promise<number> {
    const balances = await readBalances(this.#db, this.#book.id, this.owners)
    const lots = await listLots(this.#db, this.#book.id)
    const { model } = this
    for (const owner of this.owners) {
      expect(balances.get(owner)).to.deep.equal({
        amount: model.getAmount(owner),
        pending: model.getPending(owner),
        held: model.getHeld(owner),
        debt: model.getDebt(owner),
        settled: model.getSettled(owner),
      })
      expect(lots.get(owner) ?? []).to.deep.equal(model.getLots(owner))
    }
    return this.owners.length
  }
}
