import { isRecord } from './openapi.ts'
import type { Read } from './own-tool.ts'
import { Refusal } from './own-tool.ts'
import { made } from './problems.ts'

/** What is needed of an application to tell it from others. */
export interface Application {
  readonly id: string
  readonly name: string
  /** Name in addresses, unique over all organizations; null where the API shows none. */
  readonly slug: string | null
}

/** The operation that lists a caller's applications. */
export const listOperation = 'list_applications'

/** The most rows that a page of a list has. */
const pageSize = 100
const byName = encodeURIComponent(JSON.stringify([{ field: 'name', order: 'asc' }]))

/**
 * Every application of the caller, ordered by name, however many pages they are. Their names are compared here and not
 * by a filter of the API, because the nearest names of what was not found have to be found too. Throws Refusal.
 * @param path of the list.
 */
export async function readApplications(read: Read, path: string): Promise<Application[]> {
  const found: Application[] = []
  const first = `${path}?pageSize=${pageSize}&sorters=${byName}`
  for (let next: string | null = first; next !== null; ) {
    const page = pageOf(await read(next))
    found.push(...page.applications)
    next = page.cursor === null ? null : `${first}&cursor=${encodeURIComponent(page.cursor)}`
  }
  return found
}

function pageOf(body: unknown): { applications: Application[]; cursor: string | null } {
  const rows: unknown = isRecord(body) ? body['data'] : null
  if (!isRecord(body) || !Array.isArray(rows)) throw strange()
  const cursor = body['nextCursor']
  return { applications: rows.map(applicationOf), cursor: typeof cursor === 'string' ? cursor : null }
}

function applicationOf(row: unknown): Application {
  if (!isRecord(row) || typeof row['id'] !== 'string' || typeof row['name'] !== 'string') throw strange()
  return { id: row['id'], name: row['name'], slug: typeof row['slug'] === 'string' ? row['slug'] : null }
}

const strange = () => new Refusal(made(502, 'The API answered something else than a list of applications.'))

/**
 * Equal for names that differ in case only. Lowered first, then raised: so ß is ss, and a sigma is the same at the end
 * of a word and within it.
 */
export const fold = (text: string) => text.trim().normalize('NFC').toLowerCase().toUpperCase().normalize('NFC')
