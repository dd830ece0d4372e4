import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { operations } from '../../../core/app/operations.ts'
import type { FilterField, ListDeclaration } from '../../../core/kernel/page.ts'
import { signIn, type Buyer } from '../../proof/stage/buyers.ts'
import { createApiClient, type Answer, type Client, type Json } from '../../support/client.ts'
import type { OwnPlatform } from '../../support/own-platform.ts'
import { catalogueMapper, writeCatalogue } from '../../support/values/import-catalogue.ts'

const unjudged = { skipsDocumentCheck: true }
const batchSize = 16

/** Everything that customers do with so many passports, through the API alone. */
export class PassportLoad {
  readonly #platform: OwnPlatform
  readonly #api: Client
  readonly #count: number
  #sheet = ''

  constructor(platform: OwnPlatform, count: number) {
    this.#platform = platform
    this.#api = createApiClient(platform.apiKey, platform.api)
    this.#count = count
  }

  /** Seven in ten from files, the rest one by one, half of these on a sheet. */
  async passports(): Promise<void> {
    const models = Array.from({ length: 100 }, (_, at) => `M-${at}`)
    await this.#import(
      Buffer.from(
        JSON.stringify([
          ...models.map((modelNumber) => ({
            product: { name: `Model ${modelNumber}`, idGranularity: 'model', modelNumber },
          })),
          ...models.map((modelNumber, at) => ({
            product: { name: `Batch ${at}`, idGranularity: 'batch', modelNumber, batchNumber: `B-${at}` },
          })),
        ]),
      ),
      'application/json',
    )
    const files = 7
    for (let file = 0; file < files; file++) {
      const { chunks } = writeCatalogue({ rows: Math.round(this.#count * 0.1), prefix: `f${file}`, seed: file, models })
      await this.#import(Buffer.concat([...chunks]), 'text/csv')
    }
    this.#sheet = await this.#newSheet()
    await this.#each(this.#count * 0.15, (at) =>
      this.#ok(
        this.#api.post(
          '/v1/dpp/passports',
          {
            product: this.#sheet,
            fields: { serialNumber: `SN-${at}`, color: 'red', size: at % 40, origin: { country: 'FR', year: 2026 } },
            ...(at % 2 === 0 && { reference: `SKU-${at}` }),
            ...(at % 3 === 0 && { allowedClaimEmail: `buyer${at % 500}@example.com` }),
          },
          unjudged,
        ),
      ),
    )
    await this.#each(this.#count * 0.15, (at) =>
      this.#ok(
        this.#api.post(
          '/v1/dpp/passports',
          {
            application: this.#platform.application,
            product: {
              name: 'Chair',
              idGranularity: 'item',
              modelNumber: `M-${at % 100}`,
              batchNumber: `B-${at % 100}`,
              itemNumber: `I-${at}`,
              gtin: gtinOf(at % 1000),
            },
            data: { color: 'oak', weight: at },
          },
          unjudged,
        ),
      ),
    )
  }

  /** Publishes, certifies, mints, changes, scans, claims, and takes some away. */
  async life(): Promise<void> {
    for (const [name, value] of [
      ['product', this.#sheet],
      ['product.modelNumber', 'M-1'],
      ['product.modelNumber', 'M-2'],
    ]) {
      const { body } = await this.#ok(
        this.#api.post(`/v1/dpp/passports/publish?filters[${name}][eq]=${value}`, undefined, unjudged),
      )
      await this.#ended(String(body['jobId']))
    }
    const minted = await this.#newSheet()
    const rows = Array.from({ length: Math.min(2_000, this.#count * 0.02) }, (_, at) => ({ serialNumber: `N-${at}` }))
    const { body } = await this.#ok(this.#api.post(`/v1/dpp/products/${minted}/mint`, rows, unjudged))
    await this.#ended(String(body['jobId']))
    for (const path of ['', '/stats', `/mint/${String(body['jobId'])}/status`])
      await this.#ok(this.#api.get(`/v1/dpp/products/${minted}${path}`, unjudged))
    await this.#ok(this.#api.get('/v1/dpp/products/stats', unjudged))

    const published = await this.#some(`filters[product][eq]=${this.#sheet}`, 500)
    await this.#each(published.length, async (at) => {
      const id = String(published[at]?.['id'])
      await this.#ok(this.#api.patch(`/v1/dpp/passports/${id}`, { fields: { size: at } }, unjudged))
      for (const path of ['', '/ownership', '/anchor', '/vc.jsonld', '/readiness', '/qr-code'])
        await this.#api.get(`/v1/dpp/passports/${id}${path}`, unjudged)
    })
    await this.#scan()
    await this.#claim(
      minted,
      published.slice(0, 20).map(({ id }) => String(id)),
    )
    for (const { id } of await this.#some('filters[status][eq]=draft', 50))
      await this.#ok(this.#api.delete(`/v1/dpp/passports/${String(id)}`, unjudged))
    const { body: application } = await this.#ok(
      this.#api.post(
        '/v1/applications',
        { name: 'Gone', features: ['dpp'], defaultNetwork: 'EthereumAnvil' },
        unjudged,
      ),
    )
    await this.#ok(
      this.#api.patch(`/v1/applications/${String(application['id'])}`, { domains: ['shop.example'] }, unjudged),
    )
    await this.#ok(this.#api.get(`/v1/applications/${String(application['id'])}/domains`, unjudged))
    await this.#ok(this.#api.delete(`/v1/applications/${String(application['id'])}`, unjudged))
  }

  /** Every filter of every list, alone and with every order, by page and by cursor. */
  async lists(): Promise<void> {
    const values = await this.#values()
    for (const {
      declaration: { list, path, method },
    } of operations) {
      if (!list?.rowSchema || method !== 'GET' || path.includes(':') || path.startsWith('/v1/auth/')) continue
      const filters = Object.entries(list.filters).flatMap(([name, field]) =>
        field.operators.map((operator) => filterOf(name, field, operator, values)),
      )
      for (const filter of ['', ...filters]) {
        for (const sorter of sortersOf(list)) {
          const first = await this.#ok(this.#api.get(`${path}?${filter}&${sorter}&pageSize=10`, unjudged))
          const cursor = (first.body as Json | null)?.['nextCursor'] as unknown as string | null
          if (cursor) await this.#api.get(`${path}?${filter}&${sorter}&pageSize=10&cursor=${cursor}`, unjudged)
        }
      }
    }
    const { body } = await this.#ok(this.#api.get('/v1/imports?pageSize=5', unjudged))
    for (const { id } of body['data'] as unknown as Json[]) {
      for (const more of ['', '/report', '/report?format=csv'])
        await this.#api.get(`/v1/imports/${String(id)}${more}`, unjudged)
    }
    await this.#ok(this.#api.get('/v1/dpp/certification-keys', unjudged))
  }

  /** What filters ask for: of each field a value that some rows have. */
  async #values(): Promise<Record<string, string>> {
    const [item] = await this.#some('filters[product.batchNumber][eq]=B-1&filters[product.idGranularity][eq]=item', 1)
    const [claimed] = await this.#some('filters[status][eq]=claimed', 1)
    return {
      id: String(item?.['id']),
      'application.id': this.#platform.application,
      'data.applicationId': this.#platform.application,
      product: this.#sheet,
      'passport.id': String(item?.['id']),
      'mintedTo.id': String(claimed?.['mintedTo']?.['id']),
      reference: 'f1-7',
      allowedClaimEmail: 'buyer7@example.com',
      'product.modelNumber': 'M-7',
      'product.batchNumber': 'B-7',
      'product.itemNumber': 'I-7',
      modelNumber: 'M-7',
      'product.name': 'Bag',
      name: 'Bag',
      domain: 'shop.example',
    }
  }

  async #scan(): Promise<void> {
    const open = createApiClient({}, this.#platform.api)
    await this.#each(200, async (at) => {
      await open.get(`/01/${gtinOf(at)}`, { ...unjudged, headers: { accept: 'text/html' } })
      await open.get(`/01/${gtinOf(at)}/10/B-1/21/I-${at}`, { ...unjudged, headers: { accept: 'application/json' } })
    })
    for (const { id, tokenId } of await this.#some('filters[status][eq]=published', 20)) {
      for (const path of [`/p/${String(id)}`, `/dpp/${String(id)}`, `/token/${String(tokenId)}`])
        await open.get(path, { ...unjudged, headers: { accept: 'text/html' } })
    }
  }

  async #claim(minted: string, fresh: readonly string[]): Promise<void> {
    const buyer = await signIn(this.#platform, 'buyer7@example.com')
    for (const passport of fresh.slice(0, 10)) {
      await this.#ok(this.#api.patch(`/v1/dpp/passports/${passport}`, { allowedClaimEmail: buyer.email }, unjudged))
      await this.#claimed(buyer, '/v1/dpp/claim', { passport })
    }
    const tokens = [
      ...fresh.slice(10),
      ...(await this.#some(`filters[product][eq]=${minted}`, 10)).map(({ id }) => String(id)),
    ]
    for (const passport of tokens) {
      const { body } = await this.#ok(this.#api.get(`/v1/dpp/passports/${passport}/magic-token`, unjudged))
      await this.#claimed(buyer, '/v1/dpp/claim/magicToken', { magicToken: body['token'] })
    }
    await buyer.api.get('/v1/auth/sessions', unjudged)
    await buyer.api.get('/v1/auth/session', unjudged)
  }

  async #claimed(buyer: Buyer, path: string, body: unknown): Promise<void> {
    const answer = await this.#ok(buyer.api.post(path, body, unjudged))
    await this.#ended(String(answer.body['jobId']))
  }

  async #newSheet(): Promise<string> {
    const { body } = await this.#ok(
      this.#api.post('/v1/dpp/products', {
        application: this.#platform.application,
        network: 'EthereumAnvil',
        name: 'Bag',
        status: 'ACTIVE',
        certifiedPaths: ['serialNumber'],
        passportsFields: [
          { name: 'serialNumber', type: 'string', required: true },
          { name: 'color', type: 'enum', variants: ['red', 'blue'] },
          { name: 'size', type: 'number' },
          {
            name: 'origin',
            type: 'object',
            fields: [
              { name: 'country', type: 'string' },
              { name: 'year', type: 'number' },
            ],
          },
        ],
      }),
    )
    return String(body['id'])
  }

  async #import(raw: Buffer, type: string): Promise<void> {
    const query = new URLSearchParams({ entityName: 'DppPassport', application: this.#platform.application })
    if (type === 'text/csv') query.set('mapperId', await this.#mapper())
    const { body } = await this.#ok(
      this.#api.post(`/v1/imports?${query}`, undefined, { raw, headers: { 'content-type': type }, ...unjudged }),
    )
    await this.#ended(String(body['id']), 600)
  }

  #mapperId: string | undefined
  async #mapper(): Promise<string> {
    if (this.#mapperId !== undefined) return this.#mapperId
    const { body } = await this.#ok(
      this.#api.post(
        '/v1/import/mappers',
        {
          name: 'catalogue',
          application: this.#platform.application,
          type: 'file',
          format: 'csv',
          rows: catalogueMapper,
        },
        unjudged,
      ),
    )
    return (this.#mapperId = String(body['id']))
  }

  async #some(query: string, count: number): Promise<Json[]> {
    const rows: Json[] = []
    for (let cursor: string | null = ''; cursor !== null && rows.length < count;) {
      const { body }: Answer = await this.#ok(
        this.#api.get(
          `/v1/dpp/passports?${query}&pageSize=${Math.min(100, count)}${cursor && `&cursor=${cursor}`}`,
          unjudged,
        ),
      )
      rows.push(...(body['data'] as unknown as Json[]))
      cursor = body['nextCursor'] as unknown as string | null
    }
    return rows.slice(0, count)
  }

  async #each(count: number, act: (at: number) => Promise<unknown>): Promise<void> {
    let next = 0
    await Promise.all(
      Array.from({ length: batchSize }, async () => {
        while (next < count) await act(next++)
      }),
    )
  }

  async #ok(asking: Promise<Answer>): Promise<Answer> {
    const answer = await asking
    expect(answer.status, answer.text.slice(0, 500)).to.be.within(200, 299)
    return answer
  }

  async #ended(job: string, seconds = 300): Promise<void> {
    for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(100)) {
      const { body, text } = await this.#ok(this.#api.get(`/v1/jobs/${job}`, unjudged))
      if (String(body['status']) === 'failed') throw new Error(`A job failed: ${text.slice(0, 500)}`)
      if (String(body['status']) !== 'pending') return
    }
    throw new Error(`Job ${job} did not end in ${seconds} s`)
  }
}

const sortersOf = ({ sorters }: ListDeclaration) => [
  '',
  ...sorters.flatMap((field) =>
    ['asc', 'desc'].map((order) => `sorters[0][field]=${field}&sorters[0][order]=${order}`),
  ),
]

function filterOf(
  name: string,
  { kind, values: words }: FilterField,
  operator: string,
  values: Record<string, string>,
): string {
  const of = {
    uuid: values['id'],
    text: 'x',
    enum: words?.[0],
    instant: new Date(Date.now() - 1_000).toISOString(),
    integer: '1',
    presence: 'true',
  }[kind]
  return `filters[${name}][${operator}]=${encodeURIComponent(kind === 'enum' ? (of ?? '') : (values[name] ?? of ?? ''))}`
}

/** A GTIN with its check digit. Source: GS1 General Specifications, 7.9.1. */
function gtinOf(number: number): string {
  const digits = `095060001${String(number).padStart(4, '0')}`
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}
