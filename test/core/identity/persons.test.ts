import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { v7 } from 'uuid'
import { hashAddress } from '../../../core/commands/persons/erased.list.ts'
import { adminOn } from '../../support/admin.ts'
import { client } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import { importRows, itemRow } from '../imports/job.maker.ts'
import { bodyOf, ended, newSerial, newSheet, newShop, readOwners, readPassport, type Buyer, type Shop } from '../passports/fixtures.ts'
import { newDescribed, newProduct, publish } from '../passports/products.ts'
import { codeFor, enablePhones, newEmail, newMember, newPhone, operator, signInBuyer, signInMember, unique } from './people.ts'

const admin = (...args: string[]) => adminOn(platform.dataDir, ...args, '--json')

/** What a command answers that has to succeed. */
async function done(...args: string[]) {
  const { code, err, json } = await admin(...args)
  expect(code, err).to.equal(0)
  return json
}

/**
 * Rows that name any of these, whatever the letters' case, of all tables that the platform can read as text: one line
 * each with the name of its table; bytes as they read. Looked for where these tests can have written: in rows since their
 * first transaction, as other tests of the run leave many megabytes.
 */
async function namedIn(...words: string[]): Promise<string[]> {
  const { db } = await operator()
  const { rows: tables } = await db.raw<{ rows: { name: string; bytes: string[] | null }[] }>(
    `select c.oid::regclass::text as name, array_agg(quote_ident(a.attname)) filter (where a.atttypid = 'bytea'::regtype) as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and has_schema_privilege(n.oid, 'usage') group by 1`)
  expect(tables.length).to.be.above(30)
  const lines = await Promise.all(tables.map(async ({ name, bytes }) => {
    const shown = ['t::text', ...(bytes ?? []).map((column) => `coalesce(replace(encode(t.${column}, 'escape'), '\\000', ''), '')`)].join(` || ' ' || `)
    const { rows } = await db.raw<{ rows: { line: string }[] }>(
      `select line from (select ${shown} as line from ${name} t where t.xmin::text::bigint >= ?::bigint) as lines
       where lower(line) like any (?::text[])`,
      [begun, words.map((word) => `%${word.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`)])
    return rows.map(({ line }) => `${name}: ${line}`)
  }))
  return lines.flat()
}

/** The transaction before which nothing of these tests was written. */
let begun = '0'

async function claim(buyer: Buyer, passport: string): Promise<void> {
  const started = await buyer.post('/v1/dpp/claim', { passport }, { headers: { 'idempotency-key': unique('claim') } })
  expect(started.status, started.text).to.equal(202)
  expect((await ended(buyer, `/v1/dpp/claim/${started.body.jobId}/status`)).status).to.equal('completed')
}

describe('person export and person erase', () => {
  let shop: Shop
  before(async () => {
    const { rows: [now] } = await (await operator()).db.raw<{ rows: { id: string }[] }>('select pg_current_xact_id()::text as id')
    begun = now?.id ?? begun
    shop = await newShop()
  })

  /** Leaves an address wherever an API takes one. @returns a passport that the person has claimed */
  async function plant(email: string): Promise<{ claimed: string; buyer: Buyer; account: string; user: string }> {
    const signed = await signInBuyer(shop.application, email.toUpperCase())
    expect(signed.status, signed.text).to.equal(200)
    const { account, user, token } = bodyOf<{ token: string; user: { id: string }; account: { id: string; address: string } }>(signed)
    const buyer: Buyer = { ...client({ bearer: token }), account: account.id, address: account.address }
    const headers = { headers: { 'idempotency-key': unique('made') } }
    const { id: claimed } = await newProduct(shop, { name: 'Bag' }, { allowedClaimEmail: email })
    await publish(shop, claimed)
    await claim(buyer, claimed)
    const kept = await shop.api.post('/v1/dpp/passports', {
      application: shop.application, product: { idGranularity: 'item', name: `Bag of ${email}`, itemNumber: newSerial(), description: `Ask\n${email}.` },
      reference: `order:${email}`, allowedClaimEmail: email.toUpperCase(), data: { owner: { [email]: [email] } },
    }, headers)
    expect(kept.status, kept.text).to.equal(201)
    const sheet = await newSheet(shop)
    await shop.api.post('/v1/dpp/passports', { product: sheet, fields: { serialNumber: newSerial(), origin: { country: email } }, allowedClaimEmail: email }, headers)
    await importRows(shop, [
      itemRow(newSerial(), {}, { allowedClaimEmail: email }), itemRow(newSerial(), {}, { allowedClaimEmail: `${email} or so` }),
      itemRow(newSerial(), { [email]: 1, itemNumber: '' }),
    ])
    await shop.api.post('/v1/import/mappers', {
      application: shop.application, name: `From ${email}`, type: 'file', format: 'csv', rows: [{ destination: 'product.name', kind: 'constant', value: email }],
    })
    await shop.api.post('/v1/applications', { name: `Shop of ${email}` })
    await client().post('/v1/auth/send-otp', { application: shop.application, type: 'email-otp', email })
    return { claimed, buyer, account: account.id, user: user.id }
  }

  it('exports all that is held, and leaves nothing of it but tokens on the chain', async () => {
    const email = newEmail('canary')
    const { claimed, buyer, account, user } = await plant(email)
    const before = await namedIn(email, user)
    expect(new Set(before.map((line) => line.split(':')[0]))).to.include.keys(
      'users', 'sessions', 'accounts', 'passports', 'claims', 'jobs', 'messages', 'idempotency', 'import_errors', 'import_mappers', 'applications')
    const told = await admin('person', 'export', email)
    expect(told.code, told.err).to.equal(0)
    const { rows, mentions, users } = told.json as unknown as
      { rows: Record<string, Record<string, unknown>[]>; mentions: { table: string }[]; users: string[] }
    expect(users).to.deep.equal([user])
    expect(rows).to.include.keys('users', 'sessions', 'accounts', 'passports', 'claims', 'messages', 'jobs', 'events', 'idempotency')
    expect(rows['passports']?.map(({ id }) => id)).to.include(claimed)
    expect(rows['sessions']?.[0]?.['token']).to.equal('not shown: a secret')
    // Every row of the dump that names the person is exported or told.
    const tables = new Set([...Object.keys(rows), ...mentions.map(({ table }) => table)])
    expect([...new Set(before.map((line) => line.split(':')[0]?.replace(/^events_.*/, 'events')))].filter((table) => !tables.has(table ?? ''))).to.deep.equal([])

    const erased = await admin('person', 'erase', email.toUpperCase())
    expect(erased.code, erased.err).to.equal(0)
    expect(erased.json['remains']).to.deep.equal({})
    expect(erased.json['deleted']).to.include({ users: 1, sessions: 1 })
    expect(await namedIn(email, encodeURIComponent(email), user)).to.deep.equal([])
    expect((await done('person', 'erase', email))).to.deep.equal({ deleted: {}, changed: {}, remains: {} })
    expect((await done('person', 'export', email))).to.deep.include({ users: [], rows: {}, mentions: [] })

    const passport = await readPassport(shop.api, claimed)
    expect(passport).to.deep.include({ status: 'claimed', allowedClaimEmail: null, mintedTo: { id: account, address: buyer.address, network: 'EthereumAnvil' } })
    expect(passport.token?.owner).to.equal(buyer.address)
    expect((await readOwners(claimed)).at(-1)?.to).to.equal(buyer.address)
    expect((await buyer.get('/v1/auth/session')).status).to.equal(401)
    expect((await client().get(`/p/${claimed}`, { unjudged: true })).status).to.equal(200)

    const again = await signInBuyer(shop.application, email)
    expect(again.status, again.text).to.equal(200)
    expect(bodyOf<{ account: { id: string } }>(again).account.id).to.not.equal(account)
    await admin('person', 'erase', email)
  })

  it('leaves nothing of it in results and streams of jobs, in stored answers and in stored refusals', async () => {
    const email = newEmail('canary')
    const { job } = await importRows(shop, [itemRow(newSerial(), { [email]: 1, itemNumber: '' }), itemRow(newSerial(), {}, { allowedClaimEmail: `${email} or so` })])
    // Whatever a job of any kind tells of its units.
    const { db } = await operator()
    await db('jobs').where({ id: job.id }).update({
      result: db.raw(`coalesce(result, '{}') || ?::jsonb`, [JSON.stringify({ [email]: [`to <${email}>`] })]),
      errors: JSON.stringify([{ line: 1, path: `fields.owners[0].${email}.name`, code: 'unknown_member', message: `${email} is no field` }]),
    })
    await db('import_errors').insert({ job: job.id, line: 9, path: `fields.${email}`, code: 'unknown_member', message: 'is no field' })
    const requests = [
      { path: '/v1/dpp/passports', body: { application: shop.application, product: { idGranularity: 'item', name: 'Bag', itemNumber: newSerial() }, allowedClaimEmail: email, reference: `of ${email}` } },
      { path: '/v1/dpp/passports', body: { product: await newSheet(shop), fields: { serialNumber: newSerial(), [email]: 1 } } },
    ].map((one) => ({ ...one, headers: { 'idempotency-key': unique('kept') } }))
    const answers = async () => [
      await shop.api.get(`/v1/imports/${job.id}`), await shop.api.get(`/v1/imports/${job.id}/report`), await shop.api.get(`/v1/jobs/${job.id}`),
      await shop.api.get(`/v1/jobs/${job.id}/sse`, { headers: { accept: 'text/event-stream' } }),
      ...await Promise.all(requests.map(({ path, body, headers }) => shop.api.post(path, body, { headers }))),
    ]
    const before = await answers()
    expect(before.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 201, 422])
    const naming = (all: typeof before) => all.map(({ text }) => text.includes(email))
    expect(naming(before).slice(1)).to.deep.equal([true, true, true, true, true])
    expect((await admin('person', 'erase', email)).code).to.equal(0)
    const after = await answers()
    expect(after.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 201, 422])
    expect(naming(after)).to.deep.equal(Array(6).fill(false))
    expect(after.slice(4).map(({ headers }) => headers['idempotency-replayed'])).to.deep.equal(['true', 'true'])
  })

  it('touches nobody whose address has this one inside, or a part of it', async () => {
    const [email, inside] = [newEmail('canary'), newEmail('canary')]
    const others = [`a${inside}`, `a.${inside}`, `${inside}.au`, `a-${inside}`, inside.replace('@', '+x@'), inside.replace('people', 'other.people')]
    for (const address of [email, ...others]) await newProduct(shop, {}, { allowedClaimEmail: address, data: { note: `to <${address}>` } })
    await admin('person', 'erase', inside)
    for (const address of others) expect(await namedIn(`"to <${address}>"`), address).to.have.length(1)
    expect((await shop.api.get(`/v1/dpp/passports?filters[allowedClaimEmail][eq]=${encodeURIComponent(others[0] ?? '')}`)).body['total']).to.equal(1)
    await admin('person', 'erase', email)
    expect(await namedIn(email)).to.deep.equal([])
  })

  it('knows people by phone, however the number is written', async () => {
    await enablePhones(shop.organization)
    const phone = newPhone()
    const number = `+39${phone}`
    const address = { application: shop.application, type: 'phone-otp', phoneCallingCode: '+39', phone }
    await client().post('/v1/auth/send-otp', address)
    const signed = await client().post('/v1/auth/verify-otp', { ...address, otp: await codeFor(number) })
    expect(signed.status, signed.text).to.equal(200)
    const written = `+39 ${phone.slice(0, 3)}-${phone.slice(3)}`
    await newProduct(shop, {}, { allowedClaimPhoneNumber: number, data: { call: `0039${phone}`, or: written } })
    expect(await namedIn(phone)).to.not.be.empty
    const told = (await done('person', 'export', number))
    expect((told['users'] as unknown as string[]).length).to.equal(1)
    const erased = await admin('person', 'erase', written)
    expect(erased.code, erased.err).to.equal(0)
    expect(await namedIn(phone, written)).to.deep.equal([])
  })

  it('reaches files that were staged, also where an address lies across two pieces or is in UTF-16', async () => {
    const email = newEmail('canary')
    const { db } = await operator()
    const text = `name,owner\nBag,${email}\nBag,${email.toUpperCase()}\n`
    const files = [Buffer.from(text), Buffer.from(`\ufeff${text}`, 'utf16le'), Buffer.from(text)]
    const uploads = files.map(() => v7())
    for (const [at, bytes] of files.entries()) {
      await db('import_uploads').insert({ id: uploads[at], organization: shop.organization, bytes: bytes.length })
      const cut = at === 2 ? text.indexOf(email) + 5 : bytes.length
      await db('import_pieces').insert([{ upload: uploads[at], place: 0, bytes: bytes.subarray(0, cut) }])
      if (cut < bytes.length) await db('import_pieces').insert([{ upload: uploads[at], place: 1, bytes: bytes.subarray(cut) }])
    }
    expect((await admin('person', 'erase', email)).code).to.equal(0)
    for (const [at, id] of uploads.entries()) {
      const pieces = await db('import_pieces').where({ upload: id }).orderBy('place').select<{ bytes: Buffer }[]>('bytes')
      const left = Buffer.concat(pieces.map(({ bytes }) => bytes))
      expect(left.length).to.equal(files[at]?.length)
      expect(left.toString(at === 1 ? 'utf16le' : 'utf8').replace('\ufeff', '')).to.equal(text.replaceAll(new RegExp(email, 'gi'), 'x'.repeat(email.length)))
    }
    await db('import_uploads').whereIn('id', uploads).delete()
  })

  it('keeps erased addresses as keyed hashes only, and erases again what a restored database has of them', async () => {
    const email = newEmail('canary')
    await newProduct(shop, {}, { allowedClaimEmail: email })
    await admin('person', 'erase', email)
    const list = readFileSync(join(platform.dataDir, 'erased-persons.ndjson'), 'utf8')
    expect(list).to.not.contain(email)
    const size = list.split('\n').length
    await admin('person', 'erase', email)
    expect(readFileSync(join(platform.dataDir, 'erased-persons.ndjson'), 'utf8').split('\n').length).to.equal(size)
    const other = newEmail('other')
    await newProduct(shop, {}, { allowedClaimEmail: email, data: { to: `${other}, ${email}` } })
    const again = await admin('person', 'erase-listed')
    expect([again.code, again.json['erased']], again.err).to.deep.equal([0, 1])
    expect(await namedIn(email)).to.deep.equal([])
    expect(await namedIn(other)).to.have.length(1)
    const refused = await shop.api.post('/v1/dpp/passports', { product: await newSheet(shop), fields: { serialNumber: newSerial(), [email]: 1 } }, {
      headers: { 'idempotency-key': unique('refused') } })
    expect([refused.status, (await namedIn(email)).length], 'only in the path of an error').to.deep.equal([422, 1])
    expect((await admin('person', 'erase-listed')).json['erased']).to.equal(1)
    expect(await namedIn(email)).to.deep.equal([])
  })

  it('knows who was erased under a key that was changed since', () => {
    const [before, after] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')]
    const [then] = hashAddress({ dataDir: '', keyEncryptionKey: before, keyEncryptionKeysOld: [] }, 'anna@example.com')
    const now = hashAddress({ dataDir: '', keyEncryptionKey: after, keyEncryptionKeysOld: [before] }, 'anna@example.com')
    expect(now).to.have.length(2).and.to.include(then)
  })

  it('tells what was signed about a person, and does not change it', async () => {
    const email = newEmail('canary')
    const { id } = await newDescribed(shop, { idGranularity: 'item', name: 'Bag', itemNumber: newSerial() }, { data: { owner: email }, certifiedPaths: ['owner'] })
    const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
    await ended(shop.api, `/v1/jobs/${started.body.jobId}`)
    const signed = await client().get(`/v1/dpp/passports/${id}/vc.jsonld`)
    expect(signed.text).to.contain(email)
    expect((await done('person', 'erase', email))['remains']).to.deep.equal({ passport_credentials: 1 })
    expect(await namedIn(email)).to.have.length(1)
    expect((await readPassport(shop.api, id)).data).to.not.deep.equal({ owner: email })
  })

  it('erases members, but not the only owner of an organization', async () => {
    const member = await newMember(shop.organization, 'editor')
    await signInMember(member, shop.organization)
    expect((await done('person', 'erase', member))['deleted']).to.include({ users: 1, members: 1, sessions: 1 })
    expect(await namedIn(member)).to.deep.equal([])
    const { code, out } = await admin('person', 'erase', shop.owner)
    expect([code, out.includes('only owner')], out).to.deep.equal([1, true])
    expect(await namedIn(shop.owner)).to.not.be.empty
  })

  it('refuses what is no address, and says so', async () => {
    for (const word of ['nobody', '+12', '']) {
      const { code, out } = await admin('person', 'erase', word)
      expect([code, out.includes('must be an e-mail address')], word).to.deep.equal([1, true])
    }
  })
})
