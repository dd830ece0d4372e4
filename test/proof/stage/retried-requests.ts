import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Answer, Client, Json } from '../../support/client.ts'

/** What became of work that was handed in. `again`: no answer came at first, and the same key was used once more. */
export interface JobReply {
  job: string
  again: boolean
  replayed: boolean
}

/** Milliseconds that a client goes on asking. */
const timeoutMs = 180_000
const cuts = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** The answer, or null when the connection was cut before it came. */
async function unlessCut(asking: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asking
  } catch (cause) {
    if (cuts.has((cause as { code?: string }).code ?? '')) return null
    throw cause
  }
}

/** Asks until there is an answer that is not "not now". */
async function insist(ask: () => Promise<Answer>): Promise<{ answer: Answer; again: boolean }> {
  const end = Date.now() + timeoutMs
  for (let again = false; ; again = true) {
    const answer = await unlessCut(ask())
    const isRunning = String(answer?.body?.['code'] ?? '') === 'IDEMPOTENCY_IN_PROGRESS'
    if (answer && answer.status !== 503 && !isRunning) return { answer, again }
    if (Date.now() > end) throw new Error(`No answer in ${timeoutMs / 1000} s; the last one: ${answer?.text ?? 'none'}`)
    await sleep(50)
  }
}

/** Sends a request until it is answered, whatever the answer is. */
export async function insistUntilAnswered(ask: () => Promise<Answer>): Promise<Answer> {
  return (await insist(ask)).answer
}

/**
 * Hands work in, and again under the same key as long as no answer comes.
 * @param headers of the request; an idempotency key by default
 */
export async function postUntilAccepted(
  api: Client,
  path: string,
  body?: unknown,
  headers: Record<string, string> = { 'idempotency-key': randomUUID() },
): Promise<JobReply> {
  const { answer, again } = await insist(() => api.post(path, body, { headers }))
  expect(answer.status, answer.text).to.equal(202)
  return { job: String(answer.body['jobId']), again, replayed: answer.headers['idempotency-replayed'] === 'true' }
}

export async function readUntilAnswered(api: Client, path: string): Promise<Answer> {
  const { answer } = await insist(() => api.get(path))
  expect(answer.status, answer.text).to.equal(200)
  return answer
}

/** Every row of a list, page by page. */
export async function readAllPages(api: Client, path: string): Promise<Json[]> {
  const rows: Json[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body }: Answer = await readUntilAnswered(api, `${path}${cursor === '' ? '' : `&cursor=${cursor}`}`)
    rows.push(...(body['data'] as unknown as Json[]))
    cursor = body['nextCursor'] as unknown as string | null
  }
  return rows
}

/** The job once it has ended. Its progress may never go back. */
export async function waitForJobEnd(read: () => Promise<Answer>): Promise<Json> {
  const end = Date.now() + timeoutMs
  for (let before = 0; ;) {
    const {
      answer: { status, text, body },
    } = await insist(read)
    expect(status, text).to.equal(200)
    const done = Number(body['completed']) + Number(body['failed'])
    if (done < before) throw new Error(`The job went back from ${before} to ${done} units`)
    before = done
    if (String(body['status']) !== 'pending') return body
    if (Date.now() > end) throw new Error(`The job is still pending after ${timeoutMs / 1000} s: ${text.slice(0, 300)}`)
    await sleep(50)
  }
}
