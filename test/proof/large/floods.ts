import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { getMintPath, createMintRows, type Neighbour } from './neighbours.ts'

/** What a flood has to know of the organization that makes it. */
export type NoisyOrganization = Pick<Neighbour, 'key' | 'sheet' | 'application'>

/** What came of a flood: how many answers of each status, and of how many nobody answered. */
export interface FloodFigures {
  answers: Record<string, number>
}

export interface Flood {
  /** Resolves when it is in full spate. */
  atFullRate: Promise<void>
  stop(): Promise<FloodFigures>
}

interface FloodRequest {
  method: 'GET' | 'POST'
  path: string
  body?: string | Buffer
  headers?: Record<string, string>
  anonymous?: boolean
}
interface FloodAnswer {
  status: number
  body: string
}

/** A greedy client of an organization, from an address of its own. It is told to wait by Retry-After, and does. */
class GreedyClient {
  readonly figures: FloodFigures = { answers: {} }
  readonly stopping = new AbortController()
  readonly #agent = new Agent({ localAddress: '127.0.0.2', connections: null, headersTimeout: 60_000, bodyTimeout: 0 })
  readonly #base: string
  readonly #key: string

  constructor(base: string, key: string) {
    this.#base = base
    this.#key = key
  }

  /** Sends it until it is taken, or refused for good. Undefined once the flood is to stop. */
  async sendUntilAccepted(
    floodRequest: FloodRequest,
    read: (body: AsyncIterable<Uint8Array>) => Promise<string> = textOf,
  ): Promise<FloodAnswer | undefined> {
    while (!this.stopping.signal.aborted) {
      const answer = await this.#ask(floodRequest, read)
      if (answer?.status !== 429) return answer
      await this.pause(1_000 * answer.retryAfter)
    }
    return undefined
  }

  async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => undefined)
  }

  async close(): Promise<FloodFigures> {
    this.stopping.abort()
    await this.#agent.destroy()
    return this.figures
  }

  async #ask(
    { method, path, body, headers, anonymous }: FloodRequest,
    read: (body: AsyncIterable<Uint8Array>) => Promise<string>,
  ) {
    const signed = anonymous ? {} : { 'x-api-key': this.#key }
    try {
      const answer = await request(`${this.#base}${path}`, {
        method,
        dispatcher: this.#agent,
        signal: this.stopping.signal,
        headers: { 'content-type': 'application/json', ...signed, ...headers },
        ...(body !== undefined && { body }),
      })
      this.#count(String(answer.statusCode))
      const text =
        answer.statusCode === 200 || answer.statusCode === 202 ? await read(answer.body) : await textOf(answer.body)
      return { status: answer.statusCode, body: text, retryAfter: Number(answer.headers['retry-after'] ?? 1) }
    } catch (cause) {
      if (this.stopping.signal.aborted) return undefined
      this.#count((cause as { code?: string }).code ?? 'no answer')
      return undefined
    }
  }

  #count(what: string): void {
    this.figures.answers[what] = (this.figures.answers[what] ?? 0) + 1
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

type Act = (greedy: GreedyClient, risen: () => void) => Promise<void>[]

function floodOf({ key }: NoisyOrganization, base: string, act: Act): Flood {
  const greedy = new GreedyClient(base, key)
  const { promise: risen, resolve } = Promise.withResolvers<void>()
  const acts = act(greedy, resolve)
  return {
    atFullRate: risen,
    async stop() {
      const figures = await greedy.close()
      await Promise.all(acts)
      return figures
    },
  }
}

/** Does it over and over, so many beside each other. */
const repeatedly = (greedy: GreedyClient, count: number, act: (at: number) => Promise<void>) =>
  Array.from({ length: count }, async (_, at) => {
    while (!greedy.stopping.signal.aborted) await act(at)
  })

/** So many of a kind were answered. */
function counter(count: number, reached: () => void): () => void {
  return () => {
    if (--count === 0) reached()
  }
}

export const floodNames = ['jobs', 'tokens', 'streams', 'uploads', 'verifications'] as const
export type FloodName = (typeof floodNames)[number]

export interface FloodOptions {
  name: FloodName
  a: NoisyOrganization
  base: string
  credential: Record<string, unknown>
}

export function startFlood({ name, a, base, credential }: FloodOptions): Flood {
  switch (name) {
    case 'jobs':
      return jobFlood(a, base)
    case 'tokens':
      return tokenFlood(a, base)
    case 'streams':
      return streamFlood(a, base)
    case 'uploads':
      return uploadFlood(a, base)
    case 'verifications':
      return verificationFlood(a, base, credential)
  }
}

/** 1,500 mints of one row, 50 at a time, and again. */
const jobFlood = (a: NoisyOrganization, base: string) =>
  floodOf(a, base, (greedy, risen) => {
    const count = counter(300, risen)
    return repeatedly(greedy, 50, async () => {
      await greedy.sendUntilAccepted({ method: 'POST', path: getMintPath(a), body: JSON.stringify(createMintRows(1)) })
      count()
    })
  })

/** 24,000 tokens in three mints of 8,000; each is sent again when it has ended. */
const tokenFlood = (a: NoisyOrganization, base: string) =>
  floodOf(a, base, (greedy, risen) => {
    const count = counter(3, risen)
    return repeatedly(greedy, 3, async () => {
      const started = await greedy.sendUntilAccepted({
        method: 'POST',
        path: getMintPath(a),
        body: JSON.stringify(createMintRows(8_000)),
      })
      count()
      if (started?.status !== 202) return greedy.pause(1_000)
      const { jobId } = JSON.parse(started.body) as { jobId: string }
      await greedy.sendUntilAccepted({
        method: 'GET',
        path: `/v1/jobs/${jobId}/sse`,
        headers: { accept: 'text/event-stream' },
      })
    })
  })

/** 3,000 streams of one long mint, each opened again when it ends. */
const streamFlood = (a: NoisyOrganization, base: string) =>
  floodOf(a, base, (greedy, risen) => {
    let job: string | undefined
    const started = repeatedly(greedy, 1, async () => {
      const { body = '{}' } =
        (await greedy.sendUntilAccepted({
          method: 'POST',
          path: getMintPath(a),
          body: JSON.stringify(createMintRows(2_000)),
        })) ?? {}
      job = (JSON.parse(body) as { jobId?: string }).jobId
      await greedy.pause(8_000)
    })
    const count = counter(1_000, risen)
    const streams = repeatedly(greedy, 3_000, async () => {
      if (job === undefined) return greedy.pause(200)
      const path = `/v1/dpp/products/${a.sheet}/mint/${job}/status/sse`
      const statusRequest: FloodRequest = { method: 'GET', path, headers: { accept: 'text/event-stream' } }
      count()
      await greedy.sendUntilAccepted(statusRequest, async (body) => {
        for await (const chunk of body) void chunk
        return ''
      })
      await greedy.pause(50)
    })
    return [...started, ...streams]
  })

/** 100 uploads at once of 5,000 rows each, and again. */
const uploadFlood = (a: NoisyOrganization, base: string) =>
  floodOf(a, base, (greedy, risen) => {
    const count = counter(20, risen)
    const path = `/v1/imports?entityName=DppPassport&application=${a.application}`
    const rowOf = () => ({ product: a.sheet, fields: { serialNumber: randomUUID() } })
    return repeatedly(greedy, 100, async () => {
      const body = Array.from({ length: 5_000 }, () => JSON.stringify(rowOf())).join('\n')
      await greedy.sendUntilAccepted({
        method: 'POST',
        path,
        body,
        headers: { 'content-type': 'application/x-ndjson' },
      })
      count()
    })
  })

/** 30 verifications a second that are as dear as one may be, without a credential of their own. */
const verificationFlood = (a: NoisyOrganization, base: string, credential: Record<string, unknown>) =>
  floodOf(a, base, (greedy, risen) => {
    const body = hostileCredential(credential)
    const count = counter(30, risen)
    return [
      (async () => {
        const requests: Promise<void>[] = []
        while (!greedy.stopping.signal.aborted) {
          requests.push(
            greedy
              .sendUntilAccepted({ method: 'POST', path: '/v1/dpp/credentials/verify', body, anonymous: true })
              .then(count),
          )
          await greedy.pause(1_000 / 30)
        }
        await Promise.all(requests)
      })(),
    ]
  })

/** A true credential that somebody blew up with members to a megabyte: all of them have to be read, and put in order. */
function hostileCredential(credential: Record<string, unknown>): string {
  const more = Object.fromEntries(
    Array.from({ length: 9_000 }, (_, at) => [`member${at}`, { name: `n${at}`, list: [at, { at }] }]),
  )
  return JSON.stringify({
    ...credential,
    credentialSubject: { ...(credential['credentialSubject'] as object), ...more },
  })
}
