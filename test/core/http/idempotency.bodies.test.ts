import { randomBytes, randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { json } from '../../../core/kernel/answer.ts'
import type { Caller } from '../../../core/kernel/caller.ts'
import { operation } from '../../../core/kernel/operation.ts'
import { object, string } from '../../../core/kernel/schema.ts'
import { client, type Client } from '../../support/client.ts'
import { eventually } from '../../support/processes.ts'
import { newKey, operator, unique } from '../identity/people.ts'
import { newShop, type Shop } from '../passports/fixtures.ts'
import { serveApi, type Api } from '../queue/api.ts'
import { expectReplay, replayed, withKey } from './keys.ts'

const MiB = 1024 * 1024
const unjudged = { unjudged: true }

describe('Bodies of answers that are kept under an idempotency key', function () {
  this.timeout(180_000)
  let shop: Shop
  before(async () => {
    shop = await newShop()
  })

  const rowOf = async (key: string) => (await operator()).db('idempotency').where({ key })
    .first<{ body: Buffer | null; status: number; headers: Record<string, string> }>('body', 'status', 'headers')

  /** Makes a draft whose answer has more than these bytes: as many as its data may have unless stated. */
  const create = (key: string, size = 256 * 1024 - 12, api: Client = shop.api) => api.post('/v1/dpp/passports', {
    application: shop.application, product: { idGranularity: 'item', name: 'Bag', itemNumber: key }, data: { story: 'x'.repeat(size) },
  }, { ...withKey(key), ...unjudged })

  it('have at most 256 KiB: a larger one is not kept, and is read again, as it is by then', async () => {
    const key = unique('large')
    const first = await create(key)
    expect(first.status, first.text.slice(0, 300)).to.equal(201)
    expect(first.bytes.length).to.be.above(256 * 1024)
    const row = await rowOf(key)
    expect([row?.body, row?.status, row?.headers['Location']]).to.deep.equal([null, 201, first.headers['location']])
    expectReplay(first, await create(key), 201)
    const reference = unique('changed')
    expect((await shop.api.patch(`/v1/dpp/passports/${first.body.id}`, { reference })).status).to.equal(200)
    const later = await create(key)
    expect([later.status, replayed(later), later.body.reference, later.body.id]).to.deep.equal([201, true, reference, first.body.id])
  })

  it('are not read again for who may not read, nor once their entity is gone: status and Location stay', async () => {
    const writer = client((await newKey(shop.organization, { dpp: ['create'] })).key)
    const [mine, theirs] = [unique('gone'), unique('unread')]
    const first = await create(mine)
    expect((await shop.api.delete(`/v1/dpp/passports/${first.body.id}`)).status).to.equal(200)
    const unread = await create(theirs, 256 * 1024 - 12, writer)
    for (const [before, again] of [[first, await create(mine)], [unread, await create(theirs, 256 * 1024 - 12, writer)]] as const) {
      expect([again.status, again.text, replayed(again)]).to.deep.equal([201, '', true])
      expect(again.headers['location']).to.equal(before.headers['location'])
    }
    const { db } = await operator()
    expect(await db('passports').whereRaw(`product ->> 'itemNumber' = any(?)`, [[mine, theirs]])).to.have.length(1)
  })

  it('are at most 64 MiB of one organization: the oldest go, and nothing is done twice', async () => {
    const { db } = await operator()
    const names = [unique('oldest'), unique('newer')] as const
    const first = await create(names[0], 10)
    expect(first.status).to.equal(201)
    const filler = Array.from({ length: 280 }, (_, at) => ({
      scope: `organization:${shop.organization}:key:filler`, share: `organization:${shop.organization}`, operation: 'filler_v1',
      key: `${names[0]} ${at}`, request_hash: randomBytes(32), state: 'done', holder: randomUUID(), lease_until: db.fn.now(),
      expires_at: db.raw(`now() + interval '1 day'`), status: 200, headers: '{}', body: Buffer.alloc(250 * 1024), body_bytes: 250 * 1024,
    }))
    for (let at = 0; at < filler.length; at += 40) await db('idempotency').insert(filler.slice(at, at + 40))
    const sum = async () => {
      const { rows: [row] } = await db.raw<{ rows: { kept: string; counted: string }[] }>(
        'select sum(octet_length(body)) as kept, sum(body_bytes) as counted from idempotency where share = ?',
        [`organization:${shop.organization}`])
      expect(row?.kept).to.equal(row?.counted)
      return Number(row?.kept)
    }
    expect(await sum()).to.be.above(64 * MiB)
    for (let at = 0; at < 12; at++) {
      const made = await create(`${names[1]} ${at}`, 200 * 1024)
      expect(made.status, made.text.slice(0, 300)).to.equal(201)
    }
    await eventually('the oldest have made room', async () => (await sum()) <= 64 * MiB)
    expect((await rowOf(names[0]))?.body).to.equal(null)
    const again = await create(names[0], 10)
    expect([again.status, again.body.id, replayed(again)]).to.deep.equal([201, first.body.id, true])
    expect(await db('passports').whereRaw(`product ->> 'itemNumber' = ?`, [names[0]])).to.have.length(1)
  })
})

describe('A cookie in an answer under an idempotency key', () => {
  const caller: Caller = { kind: 'key', id: randomUUID(), organization: randomUUID(), permissions: { dpp: ['create'] } }
  const secret = 'tessera.session=a-secret-of-one-answer'
  const careless = operation({
    id: 'careless_v1', method: 'POST', path: '/v1/careless', summary: 'Sets a cookie', tag: 'Tests', access: 'dpp:create',
    body: object({ field: string('Name of the header field.') }), returns: { 201: object({ text: string('Any text.') }) },
  }).performedBy(async ({ body }) => json({ text: 'done' }, { [body.field]: secret }))
  let api: Api
  before(async () => {
    api = await serveApi(await operator(), [careless])
  })
  after(() => api.stop())

  it('is neither kept nor sent again, however its field is written', async () => {
    for (const field of ['Set-Cookie', 'set-cookie', 'SET-COOKIE']) {
      const key = randomUUID()
      const send = () => client({}, api.url).post('/v1/careless', { field }, { headers: { ...api.as(caller), 'idempotency-key': key } })
      const [first, second] = [await send(), await send()]
      expect([first.status, second.status, replayed(second)]).to.deep.equal([201, 201, true])
      expect(String(first.headers['set-cookie'])).to.equal(secret)
      expect(second.headers['set-cookie'], field).to.equal(undefined)
      const { db } = await operator()
      const [row] = await db('idempotency').where({ key }).select(db.raw('idempotency::text as text')) as { text: string }[]
      expect(row?.text, field).not.to.contain(secret)
    }
  })
})
