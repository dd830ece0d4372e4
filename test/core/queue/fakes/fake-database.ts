import type { Knex } from 'knex'

/** A statement that was sent to a fake database. */
export interface SentStatement {
  sql: string
  bindings: readonly unknown[]
}

/**
 * A database that answers each statement as a test says, one turn of the event loop later, and keeps what it was sent.
 * It refuses the end of a transaction whose statements are still under way, and statements of one that has ended: both
 * mean that something was not awaited.
 */
export class FakeDatabase {
  readonly statements: SentStatement[] = []
  /** How the transactions ended, in their order. */
  readonly endings: ('commit' | 'rollback')[] = []
  readonly knex: Knex
  /** Number of statements that were sent and are not answered yet. */
  openCount = 0
  /** Whether it refuses a statement while another one is under way, as the connection of a transaction would wait. */
  isSerial = false
  readonly #answer: (statement: SentStatement) => readonly object[] | Promise<readonly object[]>

  constructor(answer: (statement: SentStatement) => readonly object[] | Promise<readonly object[]> = () => []) {
    this.#answer = answer
    this.knex = {
      raw: (sql: string, bindings: readonly unknown[] = []) => this.#run({ sql, bindings }),
      transaction: (work: (trx: Knex.Transaction) => Promise<unknown>) => this.#runTransaction(work),
    } as unknown as Knex
  }

  /** Returns the statements whose text contains these words. */
  find(words: string): SentStatement[] {
    return this.statements.filter(({ sql }) => sql.includes(words))
  }

  async #run(statement: SentStatement): Promise<{ rows: readonly object[]; rowCount: number }> {
    if (this.isSerial && this.openCount > 0) throw new Error('Another statement is still under way')
    this.statements.push(statement)
    this.openCount++
    try {
      await new Promise((resolve) => setImmediate(resolve))
      const rows = await this.#answer(statement)
      return { rows, rowCount: rows.length }
    } finally {
      this.openCount--
    }
  }

  async #runTransaction(work: (trx: Knex.Transaction) => Promise<unknown>): Promise<unknown> {
    let isOver = false
    let openCount = 0
    const raw = async (sql: string, bindings: readonly unknown[] = []) => {
      if (isOver) throw new Error('The transaction has ended')
      if (openCount > 0) throw new Error('Another statement of the transaction is still under way')
      openCount++
      return this.#run({ sql, bindings }).finally(() => openCount--)
    }
    // Called with a name, as for a query of a table, it sends that name.
    const trx = Object.assign((name: string) => raw(name), { raw })
    try {
      const result = await work(trx as unknown as Knex.Transaction)
      if (openCount > 0) throw new Error('A statement of the transaction is still under way')
      this.endings.push('commit')
      return result
    } catch (cause) {
      this.endings.push('rollback')
      throw cause
    } finally {
      isOver = true
    }
  }
}
