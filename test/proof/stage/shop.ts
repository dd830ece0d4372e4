import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import { createApiClient, type Answer, type Client, type Json } from '../../support/client.ts'
import type { OwnPlatform } from '../../support/own-platform.ts'
import { waitForJobEnd, postUntilAccepted, readUntilAnswered, readAllPages, type JobReply } from './retried-requests.ts'
import { signIn, type Buyer } from './buyers.ts'
import { toTokenId, type AcceptedPassport } from './minted-tokens.ts'

/** Work that can be handed in once. */
export interface Order {
  send(): Promise<JobReply>
  status(job: string): Promise<Answer>
  /** Holds what the API says of the ended job against what was ordered. @returns what was accepted */
  check(job: string): Promise<AcceptedPassport[]>
}

const passportsFields = [{ name: 'serialNumber', type: 'string', required: true }]

/** A customer of a platform: mints, publishes and claims, and knows what was accepted. */
export class Shop {
  readonly accepted = new Map<string, AcceptedPassport>()
  /** Types of the events that each accepted passport has to have. */
  readonly #events = new Map<string, string[]>()
  /** Passports that wait to be claimed: not minted, and held by their issuer. */
  readonly #fresh: string[] = []
  readonly #minted: string[] = []
  readonly #api: Client
  readonly #buyer: Buyer
  readonly #application: string

  constructor({ apiKey, api, application }: OwnPlatform, buyer: Buyer) {
    this.#api = createApiClient(apiKey, api)
    this.#buyer = buyer
    this.#application = application
  }

  /** A batch to mint, on a sheet of its own. */
  async batch(size: number): Promise<Order> {
    const sheet = await this.#newSheet()
    const rows = Array.from({ length: size }, (_, line) => ({ serialNumber: `N-${line}` }))
    const path = `/v1/dpp/products/${sheet}/mint`
    return {
      send: () => postUntilAccepted(this.#api, path, rows),
      status: (job) => this.#api.get(`${path}/${job}/status?pageSize=1`),
      check: async (job) => {
        const { body } = await readUntilAnswered(this.#api, `${path}/${job}/status`)
        const done = { id: job, status: 'completed', total: size, completed: size, failed: 0, errors: [] }
        expect(body).to.deep.include(done)
        const passports = await readAllPages(this.#api, `/v1/dpp/passports?filters[product][eq]=${sheet}&pageSize=100`)
        expect(passports.length).to.equal(size)
        const serials = new Set(passports.map(({ fields }) => String(fields?.['serialNumber'])))
        expect(serials.size, 'rows that became passports').to.equal(size)
        return passports.map((passport) => this.#noteMinted(passport))
      },
    }
  }

  /** Claims, every other one of a token that its issuer has, by magic token. */
  async claims(count: number): Promise<Order[]> {
    if (this.#fresh.length < count || this.#minted.length < count) await this.#stock(Math.max(20, count))
    return Promise.all(Array.from({ length: count }, (_, at) => (at % 2 === 0 ? this.#claim() : this.#claimByToken())))
  }

  /** Every passport that the platform accepted, those included that have no token yet. */
  known(): string[] {
    return [...this.accepted.keys(), ...this.#fresh]
  }

  /** All that was accepted and has a token, where the API says now that it is. */
  async acceptedNow(): Promise<AcceptedPassport[]> {
    const all = await readAllPages(this.#api, '/v1/dpp/passports?pageSize=100')
    const tokens = new Map(all.map(({ id, token }) => [String(id), token]))
    const contractOf = (passport: string) => String(tokens.get(passport)?.['contract'])
    return [...this.accepted.values()].map((one) => ({ ...one, contract: contractOf(one.passport) }))
  }

  /** What the events miss or have too often of the accepted passports, by type and passport. */
  async wrongEvents(): Promise<string[]> {
    const left = new Map<string, number>()
    const count = (name: string, by: number) => left.set(name, (left.get(name) ?? 0) + by)
    for (const [passport, types] of this.#events) for (const type of types) count(`${type} ${passport}`, 1)
    const found = await readAllPages(this.#api, '/v1/events?filters[subject][eq]=dppPassport&pageSize=100')
    for (const { type, passport } of found) count(`${String(type)} ${String(passport?.['id'])}`, -1)
    const waiting = new Set(this.#fresh.flatMap((id) => ['create', 'publish'].map((type) => `${type} ${id}`)))
    const wrong = [...left].filter(([name, number]) => number !== 0 && !waiting.has(name))
    return wrong.map(([name, number]) => `${name} ${-number}`)
  }

  async #newSheet(): Promise<string> {
    const made = await this.#api.post('/v1/dpp/products', {
      application: this.#application,
      network: 'EthereumAnvil',
      name: 'Bag',
      status: 'ACTIVE',
      passportsFields,
    })
    expect(made.status, made.text).to.equal(201)
    return String(made.body['id'])
  }

  /** Makes passports to claim: as many that are not minted as such that are. */
  async #stock(each: number): Promise<void> {
    const sheet = await this.#newSheet()
    const drafts = await Promise.all(
      Array.from({ length: each }, (_, line) =>
        this.#api.post('/v1/dpp/passports', {
          product: sheet,
          fields: { serialNumber: `F-${line}` },
          allowedClaimEmail: this.#buyer.email,
        }),
      ),
    )
    const published = await postUntilAccepted(this.#api, `/v1/dpp/passports/publish?filters[product][eq]=${sheet}`)
    await waitForJobEnd(() => this.#api.get(`/v1/jobs/${published.job}`))
    this.#fresh.push(...drafts.map(({ body }) => String(body['id'])))
    const order = await this.batch(each)
    const { job } = await order.send()
    await waitForJobEnd(() => order.status(job))
    this.#minted.push(...(await order.check(job)).map(({ passport }) => passport))
  }

  async #claim(): Promise<Order> {
    const passport = taken(this.#fresh)
    return this.#claimOrder(passport, '/v1/dpp/claim', { passport }, false)
  }

  async #claimByToken(): Promise<Order> {
    const passport = taken(this.#minted)
    const { body } = await readUntilAnswered(this.#api, `/v1/dpp/passports/${passport}/magic-token`)
    return this.#claimOrder(passport, '/v1/dpp/claim/magicToken', { magicToken: body['token'] }, true)
  }

  #claimOrder(passport: string, path: string, body: unknown, minted: boolean): Order {
    return {
      send: () => postUntilAccepted(this.#buyer.api, path, body),
      status: (job) => this.#buyer.api.get(`/v1/dpp/claim/${job}/status`),
      check: async (job) => {
        const [shown, owners, claimed] = await this.#readClaimed(passport, job)
        expect(shown).to.deep.include({ status: 'completed', total: 1, completed: 1, failed: 0, errors: [] })
        expect(claimed).to.include({ status: 'claimed', tokenId: toTokenId(passport) })
        expect(claimed['mintedTo']).to.include({ address: this.#buyer.address })
        expect(owners.map(({ type }) => String(type))).to.deep.equal(minted ? ['mint', 'claim'] : ['claim'])
        expect(shown['result']).to.include({ tokenId: toTokenId(passport), passport })
        expect(hashOf(shown['result']), 'the hash of the job').to.equal(hashOf(owners.at(-1)))
        return [this.#noteClaimed(passport, claimed, minted)]
      },
    }
  }

  /** The job, the owners and the passport: of one moment, also while a reorganization gives them another hash. */
  async #readClaimed(passport: string, job: string): Promise<[Json, Json & Json[], Json]> {
    const shownAt = `/v1/dpp/passports/${passport}`
    const paths = [`${shownAt}/ownership`, `/v1/jobs/${job}`, `${shownAt}/ownership`, shownAt]
    for (;;) {
      const bodies: Json[] = []
      for (const path of paths) bodies.push((await readUntilAnswered(this.#api, path)).body)
      const [before, shown, owners, claimed] = bodies as [Json, Json, Json & Json[], Json]
      if (isDeepStrictEqual(before, owners)) return [shown, owners, claimed]
    }
  }

  #noteMinted({ id, tokenId, status, token }: Json): AcceptedPassport {
    const passport = String(id)
    expect({ tokenId, status }).to.deep.equal({ tokenId: toTokenId(passport), status: 'published' })
    const one = { passport, owner: String(token?.['owner']), contract: String(token?.['contract']) }
    return this.#note(one, ['create', 'publish'])
  }

  #noteClaimed(passport: string, { token }: Json, minted: boolean): AcceptedPassport {
    const one = { passport, owner: this.#buyer.address, contract: String(token?.['contract']) }
    return this.#note(one, ['create', 'publish', 'claim', ...(minted ? ['transfer'] : [])])
  }

  #note(one: AcceptedPassport, events: string[]): AcceptedPassport {
    this.accepted.set(one.passport, one)
    this.#events.set(one.passport, events)
    return one
  }
}

export async function openShop(platform: OwnPlatform): Promise<Shop> {
  return new Shop(platform, await signIn(platform, `buyer-${randomUUID()}@people.example`))
}

const hashOf = (one: Json | undefined) => String(one?.['transactionHash'])

function taken(list: string[]): string {
  const one = list.pop()
  if (one === undefined) throw new Error('no passport is left to claim')
  return one
}
