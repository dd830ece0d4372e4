import { setTimeout as sleep } from 'node:timers/promises'
import knex, { type Knex } from 'knex'
import type { Message, Messenger } from '../../../core/kernel/ports/messenger.ts'

export interface Statement {
  text: string
  values: readonly unknown[]
}

type Result = readonly object[] | Error
/** The rows that statements of this form come to, or the error that they end with. */
export type Reply = readonly [form: RegExp, result: Result | ((values: readonly unknown[]) => Result)]

interface QueryConfig {
  text: string
  values?: readonly unknown[]
}
type Done = (error: unknown, result?: unknown) => void

/** A pool whose connections lead nowhere: what is sent is noted down and answered as the test says. */
export interface FakeDatabase {
  db: Knex
  /** What was sent so far, in this order. */
  statements: Statement[]
  /** The statements that were sent while an earlier one of the same connection was under way. */
  hasty: string[]
  /** Returns how many statements are under way. */
  countRunning(): number
  /** Returns how many connections are lent at the moment. */
  countLent(): number
}

/** How long a statement takes: who does not wait for it is done before. */
const statementMs = 5

/**
 * Creates a pool that answers by the first form that fits; what fits none comes to no rows. Questions about the schema
 * are not noted down.
 */
export function createFakeDatabase(...replies: Reply[]): FakeDatabase {
  const statements: Statement[] = []
  const hasty: string[] = []
  let running = 0

  function createConnection() {
    let own = 0
    const run = async (text: string, values: readonly unknown[]) => {
      if (/pg_catalog/.test(text)) return { rows: [], rowCount: 0, command: 'SELECT' }
      statements.push({ text, values })
      if (own > 0) hasty.push(text)
      own++
      running++
      await sleep(statementMs)
      own--
      running--
      const reply = replies.find(([form]) => form.test(text))?.[1] ?? []
      const result = typeof reply === 'function' ? reply(values) : reply
      if (result instanceof Error) throw result
      return { rows: result, rowCount: result.length, command: text.trim().split(/\s/)[0]?.toUpperCase() }
    }
    return {
      query(config: string | QueryConfig, given?: readonly unknown[] | Done, done?: Done) {
        const text = typeof config === 'string' ? config : config.text
        const values = Array.isArray(given) ? given : typeof config === 'string' ? [] : (config.values ?? [])
        const callback = typeof given === 'function' ? given : done
        const result = run(text, values)
        if (!callback) return result
        result.then(
          (answer) => callback(null, answer),
          (error: unknown) => callback(error),
        )
        return undefined
      },
      on: () => undefined,
      end: () => undefined,
    }
  }

  const db = knex({ client: 'pg', connection: {}, pool: { min: 0, max: 5 } })
  db.client.acquireRawConnection = async () => createConnection()
  db.client.destroyRawConnection = async () => undefined
  db.client.validateConnection = () => true
  return {
    db,
    statements,
    hasty,
    countRunning: () => running,
    countLent: () => (db.client.pool as { numUsed(): number }).numUsed(),
  }
}

/** The error with which PostgreSQL refuses a duplicate value. */
export const createDuplicateError = (constraint: string): Error =>
  Object.assign(new Error('duplicate key value'), { code: '23505', constraint })

/** Returns the statements of this form, of all that were sent. */
export const listSent = ({ statements }: FakeDatabase, form: RegExp): Statement[] =>
  statements.filter(({ text }) => form.test(text))

/** A messenger that writes to a pool, and the messages that it has written. */
export function createFakeMessenger(): { messenger: Messenger; messages: Message[] } {
  const messages: Message[] = []
  const sendMessage = async (trx: Knex, message: Message) => {
    await trx('messages').insert({ recipient: message.to })
    messages.push(message)
  }
  return { messenger: { sendMessage }, messages }
}
