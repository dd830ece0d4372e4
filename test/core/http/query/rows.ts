import type { Passport } from '../../../../core/features/dpp/index.ts'
import type { Answer, Client } from '../../../support/client.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'

export interface PassportPage {
  data: Passport[]
  total: number
  totalIsEstimate?: true
  currentPage: number
  pageSize: number
  nextCursor: string | null
}

export const parsePage = (answer: Answer) => getBody<PassportPage>(answer)

/** A page of the passports of a shop. */
export async function listPassports(api: Client, query: string): Promise<PassportPage> {
  const answer = await api.get(`/v1/dpp/passports?${query}`)
  if (answer.status !== 200) throw new Error(`${query}: ${answer.status} ${answer.text}`)
  return parsePage(answer)
}

export const encodeValue = (value: unknown): string =>
  encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))

/** The code of a refusal and what it blames. */
export function listFaults({ body }: Answer): string[] {
  const errors = (body['errors'] ?? []) as { path: string; code: string }[]
  return [String(body['code']), ...errors.map(({ path, code }) => `${path} ${code}`)]
}
