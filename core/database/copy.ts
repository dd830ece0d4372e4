import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setImmediate as breath } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Submittable } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'

/** Text that COPY reads as a value. Source: PostgreSQL, COPY, text format. */
export function copied(value: string | null): string {
  if (value === null) return '\\N'
  return special.test(value) ? value.replace(everySpecial, (sign) => escapes[sign] ?? sign) : value
}

const special = /[\\\n\r\t]/
const everySpecial = /[\\\n\r\t]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** The same of JSON as `JSON.stringify` spells it, in which all control characters are escaped already. */
export const copiedJson = (json: string): string => (json.includes('\\') ? json.replaceAll('\\', '\\\\') : json)

/** The same of a list of texts, as PostgreSQL spells an array. Source: PostgreSQL, section 8.15.6. */
export function copiedList(values: readonly string[]): string {
  if (values.length === 0) return '{}'
  return copied(`{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`)
}

interface Client { query(query: Submittable): Writable & Submittable }

/**
 * Writes rows into a table by COPY, in the transaction. Lines are made as they leave: the server stores the first while
 * the last are written, and others of this process have their turn in between; a list of them is sent at once.
 * @param into table and columns, as `passports (id, network)`
 * @param lines rows in text format, each with its line break
 * @param meanwhile is called while the server stores the last of them @throws the database's error
 */
export async function copyInto<T>(
  trx: Knex.Transaction, into: string, lines: Iterable<string>, meanwhile: () => T | Promise<T>,
): Promise<T> {
  const client = await (trx.client as { acquireConnection(): Promise<Client> }).acquireConnection()
  const stream = client.query(copyFrom(`copy ${into} from stdin`) as unknown as Submittable)
  const done = finished(stream)
  // Told when it is waited for. The server drops what still comes after its refusal.
  done.catch(() => undefined)
  stream.on('error', () => { if (!stream.destroyed) stream.destroy() })
  let text = ''
  const isReady = Array.isArray(lines)
  try {
    for (const line of lines) {
      text += line
      if (text.length < chunkLength) continue
      if (stream.destroyed) break
      stream.write(Buffer.from(text))
      text = ''
      if (!isReady) await breath()
    }
    if (!stream.destroyed) stream.end(Buffer.from(text))
    const [result] = await Promise.all([meanwhile(), done])
    return result
  } catch (cause) {
    // Else the rollback would wait behind a COPY that nobody ends.
    stream.destroy()
    throw cause
  }
}

/** Characters that are sent at once. */
const chunkLength = 65_536
