import { isRecord } from '../openapi.ts'
import type { ApiReader } from './own-tool.ts'
import { ReadRefusedError } from './own-tool.ts'
import { createProblem } from '../results/problems.ts'

/** An application with the members that distinguish it from others. */
export interface Application {
  readonly id: string
  readonly name: string
  /** The name in addresses, unique over all organizations; null if the API shows none. */
  readonly slug: string | null
}

/** The name of the operation that lists a caller's applications. */
export const applicationsOperationName = 'list_applications'

/** The largest page of a list, in rows. */
const pageSize = 100
const nameSorter = encodeURIComponent(JSON.stringify([{ field: 'name', order: 'asc' }]))

/**
 * Reads all applications of the caller, ordered by name, over all pages. The names are compared here and not by a
 * filter of the API, because a name without a match also needs its nearest names.
 * @param path the path of the list
 * @throws ReadRefusedError
 */
export async function readApplications(readApi: ApiReader, path: string): Promise<Application[]> {
  const applications: Application[] = []
  const first = `${path}?pageSize=${pageSize}&sorters=${nameSorter}`
  for (let next: string | null = first; next !== null;) {
    const page = parsePage(await readApi(next))
    applications.push(...page.applications)
    next = page.cursor === null ? null : `${first}&cursor=${encodeURIComponent(page.cursor)}`
  }
  return applications
}

function parsePage(body: unknown): { applications: Application[]; cursor: string | null } {
  const rows: unknown = isRecord(body) ? body['data'] : null
  if (!isRecord(body) || !Array.isArray(rows)) throw createUnexpectedAnswerError()
  const cursor = body['nextCursor']
  return { applications: rows.map(parseApplication), cursor: typeof cursor === 'string' ? cursor : null }
}

function parseApplication(row: unknown): Application {
  if (!isRecord(row) || typeof row['id'] !== 'string' || typeof row['name'] !== 'string')
    throw createUnexpectedAnswerError()
  return { id: row['id'], name: row['name'], slug: typeof row['slug'] === 'string' ? row['slug'] : null }
}

const createUnexpectedAnswerError = () =>
  new ReadRefusedError(createProblem(502, 'The API answered something else than a list of applications.'))

/**
 * Folds a name so that names that differ only in case are equal. It lowers first and then raises: ß becomes SS, and a
 * final sigma equals any other sigma.
 */
export const foldCase = (text: string) => text.trim().normalize('NFC').toLowerCase().toUpperCase().normalize('NFC')
