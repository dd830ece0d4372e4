import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { client, type Answer, type Client, type Json } from '../support/client.ts'
import type { OwnPlatform } from '../support/platform.ts'
import { tokenOf, type Accepted } from './judge.ts'

/** What became of work that was handed in. `again`: no answer came at first, and the same key was used once more. */
export interface Reply { job: string; again: boolean; replayed: boolean }

/** Work that can be handed in once. */
export interface Order {
  /** Hands it in, and again under the same key as long as no answer comes. */
  send(): Promise<Reply>
  status(job: string): Promise<Answer>
  /** Holds what the API says of the ended job against what was ordered. @returns what was accepted */
  check(job: string): Promise<Accepted[]>
}

/** Milliseconds that a client goes on asking. */
const patience = 60_000
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
export async function insist(ask: () => Promise<Answer>): Promise<{ answer: Answer; again: boolean }> {
  const end = Date.now() + patience
  for (let again = false; ; again = true) {
    const answer = await unlessCut(ask())
    const later = answer === null || answer.status === 503 || String(answer.body?.['code'] ?? '') === 'IDEMPOTENCY_IN_PROGRESS'
    if (answer && !later) return { answer, again }
    if (Date.now() > end) throw new Error(`No answer within ${patience / 1000} s; the last one: ${answer?.text ?? 'none'}`)
    await sleep(50)
  }
}

async function post(api: Client, path: string, body: unknown): Promise<Reply> {
  const headers = { 'idempotency-key': randomUUID() }
  const { answer, again } = await insist(() => api.post(path, body, { headers }))
  expect(answer.status, answer.text).to.equal(202)
  return { job: String(answer.body['jobId']), again, replayed: answer.headers['idempotency-replayed'] === 'true' }
}

const passportsFields = [{ name: 'serialNumber', type: 'string', required: true }]
const rowsOf = (answer: Answer) => answer.body['data'] as unknown as Json[]

/** A customer of a platform: mints, publishes and claims, and knows what was accepted. */
export async function openShop(platform: OwnPlatform) {
  const { application } = platform
  const api = client(platform.apiKey, platform.api)
  const buyer = await signIn(platform, `buyer-${randomUUID()}@people.example`)
  const fresh: string[] = []
  const minted: string[] = []
  /** Types of the events that each accepted passport has to have, by passport. */
  const accepted = new Map<string, string[]>()

  const read = async (path: string) => {
    const { answer } = await insist(() => api.get(path))
    expect(answer.status, answer.text).to.equal(200)
    return answer
  }
  const newSheet = async () => {
    const made = await api.post('/v1/dpp/products', { application, network: 'EthereumAnvil', name: 'Bag', status: 'ACTIVE', passportsFields })
    expect(made.status, made.text).to.equal(201)
    return String(made.body['id'])
  }
  const passportsOf = async (sheet: string) => {
    const all: Json[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await read(`/v1/dpp/passports?filters[product][eq]=${sheet}&pageSize=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
      all.push(...rowsOf(page))
      cursor = page.body['nextCursor'] as unknown as string | null
    }
    return all
  }

  /** A batch to mint, on a sheet of its own. */
  async function batch(size: number): Promise<Order> {
    const sheet = await newSheet()
    const rows = Array.from({ length: size }, (_, line) => ({ serialNumber: `N-${line}` }))
    const status = (job: string) => api.get(`/v1/dpp/products/${sheet}/mint/${job}/status?pageSize=1000`)
    return {
      send: () => post(api, `/v1/dpp/products/${sheet}/mint`, rows),
      status,
      async check(job) {
        const { body } = await read(`/v1/dpp/products/${sheet}/mint/${job}/status`)
        expect(body).to.deep.include({ id: job, status: 'completed', total: size, completed: size, failed: 0, errors: [] })
        const passports = await passportsOf(sheet)
        expect(new Set(passports.map(({ fields }) => String(fields?.['serialNumber']))).size, 'rows that became passports').to.equal(size)
        expect(passports.length).to.equal(size)
        for (const { id, tokenId, status } of passports) expect({ tokenId, status }).to.deep.equal({ tokenId: tokenOf(String(id)), status: 'published' })
        for (const { id } of passports) accepted.set(String(id), ['create', 'publish'])
        return passports.map(({ id, token }) => ({ passport: String(id), owner: String(token?.['owner']), contract: String(token?.['contract']) }))
      },
    }
  }

  /** Passports to claim: as many that are not minted as such that are. */
  async function stock(each: number): Promise<void> {
    const sheet = await newSheet()
    const drafts = Array.from({ length: each }, (_, line) =>
      api.post('/v1/dpp/passports', { product: sheet, fields: { serialNumber: `F-${line}` }, allowedClaimEmail: buyer.email }))
    for (const { body } of await Promise.all(drafts)) fresh.push(String(body['id']))
    const { job } = await post(api, `/v1/dpp/passports/publish?filters[product][eq]=${sheet}`, undefined)
    await ended(() => api.get(`/v1/jobs/${job}`))
    const order = await batch(each)
    const sent = await order.send()
    await ended(() => order.status(sent.job))
    for (const { passport } of await order.check(sent.job)) minted.push(passport)
  }

  /** Claims, every other one of a token that its issuer has, by magic token. */
  async function claims(count: number): Promise<Order[]> {
    if (fresh.length < count || minted.length < count) await stock(Math.max(20, count))
    return Promise.all(Array.from({ length: count }, (_, at) => (at % 2 === 0 ? claim(fresh.pop() ?? '') : transfer(minted.pop() ?? ''))))
  }
  const claim = async (passport: string) => claimOrder(passport, '/v1/dpp/claim', { passport }, ['claim', 'create', 'publish'])
  async function transfer(passport: string): Promise<Order> {
    const { body } = await read(`/v1/dpp/passports/${passport}/magic-token`)
    return claimOrder(passport, '/v1/dpp/claim/magicToken', { magicToken: body['token'] }, ['claim', 'create', 'publish', 'transfer'])
  }
  function claimOrder(passport: string, path: string, body: unknown, events: string[]): Order {
    return {
      send: () => post(buyer.api, path, body),
      status: (job) => buyer.api.get(`/v1/dpp/claim/${job}/status`),
      async check(job) {
        const [{ body: shown }, { body: owners }, { body: claimed }] = await Promise.all([
          read(`/v1/jobs/${job}`), read(`/v1/dpp/passports/${passport}/ownership`), read(`/v1/dpp/passports/${passport}`)])
        expect(shown).to.deep.include({ status: 'completed', total: 1, completed: 1, failed: 0, errors: [] })
        expect(claimed).to.include({ status: 'claimed', tokenId: tokenOf(passport) })
        expect(claimed['mintedTo']).to.include({ address: buyer.address })
        expect((owners as unknown as Json[]).map(({ type }) => String(type))).to.deep.equal(events.includes('transfer') ? ['mint', 'claim'] : ['claim'])
        const token = claimed['token']
        const last = (owners as unknown as Json[]).at(-1)
        expect(shown['result']).to.deep.equal({ transactionHash: last?.['transactionHash'], tokenId: tokenOf(passport), passport })
        accepted.set(passport, events)
        return [{ passport, owner: buyer.address, contract: String(token?.['contract']) }]
      },
    }
  }

  /** What the events miss or have too often of the accepted passports, by type and passport. */
  async function wrongEvents(): Promise<string[]> {
    const left = new Map<string, number>()
    const count = (type: string, passport: string, by: number) => left.set(`${type} ${passport}`, (left.get(`${type} ${passport}`) ?? 0) + by)
    for (const [passport, types] of accepted) for (const type of types) count(type, passport, 1)
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await read(`/v1/events?filters[subject][eq]=dppPassport&pageSize=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
      for (const { type, passport } of rowsOf(page)) count(String(type), String(passport?.['id']), -1)
      cursor = page.body['nextCursor'] as unknown as string | null
    }
    const waiting = new Set([...fresh, ...minted].flatMap((id) => ['create', 'publish'].map((type) => `${type} ${id}`)))
    return [...left].filter(([name, number]) => number !== 0 && !waiting.has(name)).map(([name, number]) => `${name} ${-number}`)
  }

  /** Every passport that the platform accepted, those included that wait to be claimed. */
  const known = () => [...accepted.keys(), ...fresh, ...minted]
  return { api, batch, claims, stock, wrongEvents, known, read }
}
export type Shop = Awaited<ReturnType<typeof openShop>>

/** The job once it has ended. Its progress may never go back. */
export async function ended(read: () => Promise<Answer>): Promise<Json> {
  const end = Date.now() + patience
  for (let before = 0; ;) {
    const { answer: { status, text, body } } = await insist(read)
    expect(status, text).to.equal(200)
    const done = Number(body['completed']) + Number(body['failed'])
    if (done < before) throw new Error(`The job went back from ${before} to ${done} units`)
    before = done
    if (String(body['status']) !== 'pending') return body
    if (Date.now() > end) throw new Error(`The job is still pending after ${patience / 1000} s: ${text.slice(0, 300)}`)
    await sleep(50)
  }
}

interface Message { to: string; text: string }

async function signIn({ api: base, outbox, application }: OwnPlatform, email: string) {
  const anonymous = client({}, base)
  await anonymous.post('/v1/auth/send-otp', { application, type: 'email-otp', email })
  const { body } = await client({}, outbox).get('', { unjudged: true })
  const code = (body as unknown as Message[]).find(({ to }) => to === email)?.text.match(/\b\d{6}\b/)?.[0]
  const answer = await anonymous.post('/v1/auth/verify-otp', { application, type: 'email-otp', email, otp: code })
  expect(answer.status, answer.text).to.equal(200)
  return { api: client({ bearer: String(answer.body['token']) }, base), email, address: String(answer.body['account']?.['address']) }
}
