import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { MintJob, Ownership, Passport } from '../../../../core/features/dpp/index.ts'
import { createApiClient, type Answer, type Client } from '../../../support/client.ts'
import type { Shop } from '../../../support/world.ts'

let serial = 0
/** A serial number that no other passport has. */
export const createSerial = () => `S-${process.pid}-${++serial}`

export const readPassport = async (api: Client, id: unknown) =>
  getBody<Passport>(await api.get(`/v1/dpp/passports/${id}`))
export const listOwners = async (id: unknown) =>
  getBody<Ownership[]>(await createApiClient().get(`/v1/dpp/passports/${id}/ownership`))

/** What a status route answers once the job has ended; at most 240 s, before which most tests have ended by their own limit. */
export async function waitForJob(api: Client, path: string): Promise<MintJob> {
  for (const deadline = Date.now() + 240_000; ;) {
    const answer = await api.get(path)
    expect(answer.status, answer.text).to.equal(200)
    const job = getBody<MintJob>(answer)
    if (job.status !== 'pending') return job
    if (Date.now() > deadline) throw new Error(`${path} is still pending`)
    await sleep(50)
  }
}

/** The JSON of an answer as what it is documented to be; the client holds it against the document. */
export const getBody = <T>({ body }: Answer): T => body as unknown as T

/** The rows of a list's answer. */
export const getRows = (answer: Answer) => getBody<{ data: Passport[] }>(answer).data

/** Status and code of an answer, as one word to compare. */
export function formatVerdict(answer: Answer): string {
  const body = getBody<{ code?: string } | null>(answer)
  return `${answer.status} ${body?.code ?? ''}`.trim()
}

/** Members that an answer finds fault with. */
export const listFaultPaths = (answer: Answer): string[] =>
  (getBody<{ errors?: { path: string }[] }>(answer).errors ?? []).map(({ path }) => path)

/** Types of the events about a passport, the oldest first. */
export async function listEventTypes({ api }: Shop, passport: string): Promise<string[]> {
  const events = await api.get(
    `/v1/events?filters[passport.id][eq]=${passport}&pageSize=100&sorters[0][field]=id&sorters[0][order]=asc`,
  )
  return getBody<{ data: { type: string }[] }>(events).data.map(({ type }) => type)
}
