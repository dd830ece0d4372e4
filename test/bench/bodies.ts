import { isDeepStrictEqual } from 'node:util'
import type { BenchData } from './data.ts'
import type { HttpRequest, LoadSide } from './load.ts'

/** Creates the request that creates a passport of the sheet that the bench has for that. */
export const createCreateRequest = ({ apiKey, creation }: Pick<BenchData, 'apiKey' | 'creation'>): HttpRequest => ({
  method: 'POST',
  path: '/v1/dpp/passports',
  headers: { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' },
  body: JSON.stringify({
    product: creation.sheet,
    fields: { serialNumber: 'SN-1', color: 'red', size: 3, origin: { country: 'FR', year: 2026 } },
  }),
})

interface Reply {
  status: number
  body: unknown
}

async function sendRequest(url: string, { method, path, headers, body }: HttpRequest): Promise<Reply> {
  const answer = await fetch(`${url}${path}`, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  })
  return { status: answer.status, body: await answer.json() }
}

/** The members that differ between two passports that are created one after the other. */
const volatileMembers = ['id', 'tokenId', 'createdAt', 'updatedAt']

/**
 * Removes what may differ between correct answers: the text of a cursor, the own members of a new passport, and the
 * members that are left out.
 */
function toComparable({ status, body }: Reply, leftOut: readonly string[]): unknown {
  const present = Object.entries(body as Record<string, unknown>).filter(([name]) => !leftOut.includes(name))
  const members = present.map(([name, value]) => {
    if (status === 201 && volatileMembers.includes(name)) return [name, typeof value]
    return name === 'nextCursor' ? [name, typeof value] : [name, value]
  })
  return { status, body: Object.fromEntries(members) as unknown }
}

/**
 * Sends the same requests to both sides.
 * @param leftOut members of the answers that are not compared
 * @throws Error if they do not answer the same JSON
 */
export async function compareBodies(one: LoadSide, other: LoadSide, leftOut: readonly string[] = []): Promise<void> {
  for (const [at, request] of one.requests.entries()) {
    const counterpart = other.requests[at]
    if (!counterpart) throw new Error('The sides are not asked the same')
    const replies = [await sendRequest(one.url, request), await sendRequest(other.url, counterpart)].map((reply) =>
      toComparable(reply, leftOut),
    )
    if (isDeepStrictEqual(replies[0], replies[1])) continue
    const shownReplies = replies.map((reply) => JSON.stringify(reply)).join('\n')
    throw new Error(`${request.method} ${request.path}: not the same answers\n${shownReplies}`)
  }
}
