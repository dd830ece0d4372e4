import { v7 } from 'uuid'
import type { Passport } from '../../../../core/features/dpp/index.ts'
import type { Answer, Client } from '../../../support/client.ts'
import { getOperator } from '../../identity/people.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import type { Shop } from '../../../support/world.ts'

/** A passport as a test wants it; what it leaves out does not matter. */
export interface Row {
  id?: string
  application?: string
  status?: string
  source?: string
  reference?: string | null
  email?: string | null
  /** Makes it one of the product flow. */
  product?: object | null
  structure?: string | null
  certify?: string | null
  mintedTo?: string | null
  createdAt?: string
  updatedAt?: string
}

/** Writes passports as they are told, behind the API: their instants have to be known. */
export async function insertPassports(
  { organization, application }: Shop,
  sheet: string,
  rows: readonly Row[],
): Promise<void> {
  const { db } = await getOperator()
  const now = new Date().toISOString()
  await db.batchInsert(
    'passports',
    rows.map((row) => ({
      id: row.id ?? v7(),
      organization,
      application: row.application ?? application,
      sheet: row.product ? null : sheet,
      product: row.product ? JSON.stringify(row.product) : null,
      structure_job: row.structure ? v7() : null,
      structure_job_status: row.structure ?? null,
      certify_job: row.certify ? v7() : null,
      certify_job_status: row.certify ?? null,
      minted_to: row.mintedTo ?? null,
      network: 'EthereumAnvil',
      status: row.status ?? 'draft',
      source: row.source ?? 'manual',
      reference: row.reference ?? null,
      allowed_claim_email: row.email ?? null,
      created_at: row.createdAt ?? now,
      updated_at: row.updatedAt ?? row.createdAt ?? now,
    })),
    500,
  )
}

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
