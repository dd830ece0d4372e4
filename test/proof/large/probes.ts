import { expect } from 'chai'
import { Agent, request } from 'undici'
import type { ContextHandle } from '../../../core/app/context.ts'
import { createApiClient } from '../../support/client.ts'
import { advancePassports } from '../../support/rows/dpp/passports.ts'
import { waitForJobEnd } from '../stage/retried-requests.ts'
import type { Buyer } from '../stage/buyers.ts'
import { getMintPath, createMintRows, type Neighbour } from './neighbours.ts'

export const probeNames = ['one-row mint', 'claim', 'verify', 'list'] as const
export type ProbeName = (typeof probeNames)[number]

/** What an organization does while its neighbours do what they like, each on a connection of its own. */
export type Probes = Record<ProbeName, () => Promise<void>>

interface ProbeRequest {
  path: string
  body?: unknown
  headers: Record<string, string>
}

/** One connection that is kept. */
class Connection {
  readonly #agent = new Agent({ connections: 1, pipelining: 1, bodyTimeout: 60_000, headersTimeout: 60_000 })
  readonly #base: string

  constructor(base: string) {
    this.#base = base
  }

  async ask({ path, body, headers }: ProbeRequest, status: number): Promise<string> {
    const answer = await request(`${this.#base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      dispatcher: this.#agent,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.body.text()
    expect(answer.statusCode, text).to.equal(status)
    return text
  }

  /** Starts a job and follows it to its end. */
  async complete(start: ProbeRequest, headers: Record<string, string>): Promise<void> {
    const { jobId } = JSON.parse(await this.ask(start, 202)) as { jobId: string }
    const events = await this.ask(
      { path: `/v1/jobs/${jobId}/sse`, headers: { ...headers, accept: 'text/event-stream' } },
      200,
    )
    expect(events.trim().split('\n').at(-1)).to.match(/"status":"completed"/)
  }

  close = () => this.#agent.destroy()
}

export interface ProbeOptions {
  b: Neighbour
  base: string
  buyer: Buyer
  tokens: string[]
  credential: string
}

export function openProbes({ b, base, buyer, tokens, credential }: ProbeOptions): Probes & { close(): Promise<void> } {
  const connections = probeNames.map(() => new Connection(base))
  const [minting, claiming, verifying, listing] = connections as [Connection, Connection, Connection, Connection]
  const signed = { 'x-api-key': b.key }
  const asBuyer = { authorization: `Bearer ${buyer.token}` }
  return {
    'one-row mint': () => minting.complete({ path: getMintPath(b), body: createMintRows(1), headers: signed }, signed),
    claim: () => {
      const magicToken = tokens.pop()
      if (magicToken === undefined) throw new Error('There is no passport left to claim')
      return claiming.complete({ path: '/v1/dpp/claim/magicToken', body: { magicToken }, headers: asBuyer }, asBuyer)
    },
    verify: async () => {
      const text = await verifying.ask(
        { path: '/v1/dpp/credentials/verify', body: JSON.parse(credential), headers: {} },
        200,
      )
      expect((JSON.parse(text) as { checks: unknown[] }).checks).to.have.length(7)
    },
    list: async () =>
      void (await listing.ask(
        { path: '/v1/dpp/passports?pageSize=10&filters[status][eq]=published', headers: signed },
        200,
      )),
    close: async () => void (await Promise.all(connections.map((each) => each.close()))),
  }
}

/** Passports to claim, published, each with the token that claims it. */
export async function createClaimable(
  { api, sheet }: Neighbour,
  { context }: ContextHandle,
  count: number,
): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at++) {
    const made = await api.post('/v1/dpp/passports', { product: sheet, fields: createMintRows(1)[0] })
    expect(made.status, made.text).to.equal(201)
    ids.push(String(made.body['id']))
  }
  await advancePassports(context.db, ids, { status: 'published' })
  const tokens: string[] = []
  for (const id of ids) tokens.push(String((await api.get(`/v1/dpp/passports/${id}/magic-token`)).body['token']))
  return tokens
}

/** A certified passport's credential. */
export async function createCertified({ api, application, key }: Neighbour, base: string): Promise<string> {
  const sheet = await api.post('/v1/dpp/products', {
    application,
    network: 'EthereumAnvil',
    name: 'Certified bag',
    status: 'ACTIVE',
    certifiedPaths: ['serialNumber'],
    passportsFields: [{ name: 'serialNumber', type: 'string', required: true }],
  })
  const {
    body: { id },
  } = await api.post('/v1/dpp/passports', { product: sheet.body['id'], fields: createMintRows(1)[0] })
  const {
    body: { jobId },
  } = await api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
  await waitForJobEnd(() => createApiClient(key, base).get(`/v1/jobs/${jobId}`))
  const answer = await createApiClient(key, base).get(`/v1/dpp/passports/${id}/vc.jsonld`)
  expect(answer.status, answer.text).to.equal(200)
  return answer.text
}
