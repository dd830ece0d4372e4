import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { MapperRow } from '../../../../core/features/imports/index.ts'
import type { Answer, RequestOptions } from '../../../support/client.ts'
import { waitForJob } from '../../dpp/passports/fixtures.ts'
import type { Shop } from '../../../support/world.ts'

const field = (destination: string, source: string): MapperRow => ({ destination, source, kind: 'field' })

/** What makes passports of the columns `ref` and `name`. */
export const productRows: MapperRow[] = [
  field('reference', 'ref'),
  field('product.name', 'name'),
  { destination: 'product.idGranularity', kind: 'constant', value: 'item' },
  field('product.itemNumber', 'ref'),
]

/** A mapper for files, made as a user makes it. */
export async function createMapper(
  { api, application }: Pick<Shop, 'api' | 'application'>,
  more: object = {},
): Promise<string> {
  const made = await api.post('/v1/import/mappers', {
    name: randomUUID(),
    application,
    type: 'file',
    format: 'csv',
    rows: productRows,
    ...more,
  })
  expect(made.status, made.text).to.equal(201)
  return String(made.body.id)
}

/** An import that has ended; of nothing unless stated. */
export async function createImport(shop: Shop, items: readonly object[] = []): Promise<string> {
  const sent = await sendFile(shop, JSON.stringify(items))
  expect(sent.status, sent.text).to.equal(202)
  await waitForJob(shop.api, `/v1/imports/${sent.body.id}`)
  return String(sent.body.id)
}

export interface SendFileOptions {
  query?: Record<string, string>
  type?: string
  headers?: Record<string, string>
  base?: string
}

/** Sends a file as a client does. */
export function sendFile(
  shop: Shop,
  raw: string | Buffer,
  { query = {}, type, headers, base }: SendFileOptions = {},
): Promise<Answer> {
  const searchParams = new URLSearchParams({ entityName: 'DppPassport', application: shop.application, ...query })
  const options: RequestOptions = {
    raw,
    headers: { ...(type !== undefined && { 'content-type': type }), ...headers },
    ...(base !== undefined && { base }),
  }
  return shop.api.post(`/v1/imports?${searchParams}`, undefined, options)
}

/** A form as a browser sends it. */
export function createForm(parts: { name?: string; file?: string; type?: string; content: string | Buffer }[]) {
  const boundary = `----test${randomUUID()}`
  const chunks = parts.flatMap(({ name = 'file', file, type, content }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}\r\n`
      + `${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    content,
    '\r\n',
  ])
  const raw = Buffer.concat([...chunks, `--${boundary}--\r\n`].map((chunk) => Buffer.from(chunk as string)))
  return { raw, type: `multipart/form-data; boundary=${boundary}` }
}
