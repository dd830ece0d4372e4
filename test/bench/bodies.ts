import { isDeepStrictEqual } from 'node:util'
import type { HttpRequest, Side } from './load.ts'

interface Reply {
  status: number
  body: unknown
}

async function ask(url: string, { method, path, headers, body }: HttpRequest): Promise<Reply> {
  const answer = await fetch(`${url}${path}`, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  })
  return { status: answer.status, body: await answer.json() }
}

/** What differs between two passports made one after the other. */
const own = ['id', 'tokenId', 'createdAt', 'updatedAt']

/** A body without what right answers may differ in: the text of a cursor, and what a new passport has of its own. */
function comparable({ status, body }: Reply): unknown {
  const members = Object.entries(body as Record<string, unknown>).map(([name, value]) => {
    if (status === 201 && own.includes(name)) return [name, typeof value]
    return name === 'nextCursor' ? [name, typeof value] : [name, value]
  })
  return { status, body: Object.fromEntries(members) as unknown }
}

/** Asks both sides the same. @throws Error when they do not answer the same JSON */
export async function compareBodies(one: Side, other: Side): Promise<void> {
  for (const [at, request] of one.requests.entries()) {
    const counterpart = other.requests[at]
    if (!counterpart) throw new Error('The sides are not asked the same')
    const replies = [await ask(one.url, request), await ask(other.url, counterpart)].map(comparable)
    if (isDeepStrictEqual(replies[0], replies[1])) continue
    const told = replies.map((reply) => JSON.stringify(reply)).join('\n')
    throw new Error(`${request.method} ${request.path}: not the same answers\n${told}`)
  }
}
