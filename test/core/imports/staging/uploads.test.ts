import { setImmediate } from 'node:timers/promises'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { InitError } from '../../../../core/features/imports/index.ts'
import { createApiClient } from '../../../support/client.ts'
import { platform } from '../../../support/platform.ts'
import { assertDeclaredAnswer } from '../../../support/declared-answers.ts'
import { waitUntil } from '../../../support/processes.ts'
import { formatHead, openRawConnection } from '../../../support/network/raw.ts'
import { detectEncoding, removeStaleUploads, stageJson } from '../../../support/imports/staging.ts'
import { insertImport, readImportSize } from '../../../support/rows/imports/imports.ts'
import {
  countStagedFiles,
  countStrayPieces,
  insertUpload,
  listUploadsWithPieces,
} from '../../../support/rows/imports/uploads.ts'
import { deleteJob } from '../../../support/rows/queue/job-rows.ts'
import { getOperator } from '../../identity/people.ts'
import { buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict } from '../../dpp/passports/fixtures.ts'
import { createForm, createMapper, sendFile } from '../intake/intake.maker.ts'

const mebibyte = 1024 * 1024
const limit = 256 * mebibyte
const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const nothing = { uploads: 0, pieces: 0 }
const list = Buffer.from(JSON.stringify([{ reference: 'A-1' }]))
const gzip = { headers: { 'content-encoding': 'gzip' } }

describe('POST /v1/imports: the bytes of a file', function () {
  this.timeout(120_000)
  let shop: Shop
  let db: Knex
  before(async () => {
    shop = await buildShop()
    ;({ db } = await getOperator())
  })

  const path = () => `/v1/imports?entityName=DppPassport&application=${shop.application}`
  const headOf = (headers: Record<string, string | number>) =>
    formatHead('POST', path(), { 'X-Api-Key': shop.key, 'Content-Type': 'application/json', ...headers })

  it('may be packed by gzip, in one member or several', async () => {
    const half = list.length >> 1
    const members = Buffer.concat([gzipSync(list.subarray(0, half)), gzipSync(list.subarray(half))])
    for (const raw of [gzipSync(list), members]) {
      const sent = await sendFile(shop, raw, gzip)
      expect(sent.status, sent.text).to.equal(202)
      expect(await readImportSize(db, String(sent.body['id']))).to.equal(list.length)
    }
    expect((await sendFile(shop, gzipSync(list), { headers: { 'content-encoding': 'X-GZIP' } })).status).to.equal(202)
    const form = createForm([{ file: 'a.json', content: list }])
    expect((await sendFile(shop, gzipSync(form.raw), { ...gzip, type: form.type })).status).to.equal(202)
  })

  it('are refused and not kept when they are not gzip, or only a part of it', async () => {
    const packed = gzipSync(Buffer.alloc(3 * mebibyte, '[1, 2, 3, 4] '))
    const broken = Buffer.from(packed)
    broken.fill(0xff, broken.length >> 1)
    for (const raw of [list, packed.subarray(0, -5), broken, deflateRawSync(list)]) {
      expect(formatVerdict(await sendFile(shop, raw, gzip))).to.equal('400 INVALID_REQUEST')
    }
    expect(await countStagedFiles(db, shop.organization)).to.deep.equal(nothing)
  })

  it('are refused unread when more than 256 MB are announced', async () => {
    const { send, answer, socket, received } = await openRawConnection(platform.api)
    send(headOf({ 'Content-Length': limit + 1, Expect: '100-continue' }))
    const { status, body, headers } = await answer()
    const refusal = JSON.parse(body) as { code: string }
    expect([status, refusal.code]).to.deep.equal([400, 'IMPORT_TOO_LARGE'])
    assertDeclaredAnswer({
      method: 'POST',
      path: path(),
      status,
      type: String(headers['content-type']),
      body: refusal,
      headers,
    })
    expect(received()).not.to.contain('100 Continue')
    socket.destroy()
  })

  it('are asked for only when everything else is right', async () => {
    const right = await openRawConnection(platform.api)
    right.send(headOf({ 'Content-Length': list.length, Expect: '100-continue' }))
    await waitUntil('the server asks', () => right.received().startsWith('HTTP/1.1 100 Continue'))
    right.send(list)
    expect((await right.answer()).status).to.equal(202)
    const wrong = await openRawConnection(platform.api)
    wrong.send(headOf({ 'Content-Length': list.length, 'Content-Type': 'text/csv', Expect: '100-continue' }))
    const { status, headers } = await wrong.answer()
    expect([status, headers['connection'], wrong.received().includes('100 Continue')]).to.deep.equal([
      400,
      'close',
      false,
    ])
    for (const { socket } of [right, wrong]) socket.destroy()
  })

  it('are stopped at a limit, and nothing of them is kept', async () => {
    let taken = 0
    async function* endless() {
      for (yield Buffer.from('['); ; taken += 300_000) yield Buffer.alloc(300_000, ' ')
    }
    const staging = stageJson({ db }, endless(), { organization: shop.organization, maxBytes: 3 * mebibyte })
    const refusal = await staging.catch((cause: InitError) => cause)
    expect(refusal).to.be.instanceOf(InitError).with.property('code', 'IMPORT_TOO_LARGE')
    expect(taken).to.be.lessThan(3 * mebibyte + 300_000)
    expect(await countStagedFiles(db, shop.organization)).to.deep.equal(nothing)
  })

  it('may come slowly, a few at a time', async () => {
    const { send, answer, socket } = await openRawConnection(platform.api)
    send(headOf({ 'Transfer-Encoding': 'chunked' }))
    for (const byte of list) {
      send(`1\r\n${String.fromCharCode(byte)}\r\n`)
      await setImmediate()
    }
    send('0\r\n\r\n')
    const { status, body } = await answer()
    expect(status, body).to.equal(202)
    socket.destroy()
  })

  it('leave nothing when they break off, wherever it is', async () => {
    const bytes = 3 * mebibyte
    const file = Buffer.from(`[${' '.repeat(bytes - 2)}]`)
    const cuts = Array.from({ length: 10 }, (_, at) => Math.floor(((at + Math.random()) * bytes) / 10))
    await Promise.all(
      cuts.map(async (cut) => {
        const other = { ...shop, ...(await buildShop()) }
        const { send, socket, closed } = await openRawConnection(platform.api)
        const importPath = `/v1/imports?entityName=DppPassport&application=${other.application}`
        send(
          formatHead('POST', importPath, {
            'X-Api-Key': other.key,
            'Content-Type': 'application/json',
            'Content-Length': bytes,
          }),
        )
        send(file.subarray(0, cut))
        const whole = Math.floor(cut / mebibyte)
        await waitUntil(
          `${whole} pieces of ${cut} bytes`,
          async () => (await countStagedFiles(db, other.organization)).pieces === whole,
        )
        socket.destroy()
        await closed
        await waitUntil(
          `nothing is left of ${cut} bytes`,
          async () => (await countStagedFiles(db, other.organization)).uploads === 0,
        )
        expect((await other.api.get('/v1/imports')).body.total).to.equal(0)
      }),
    )
    expect(await countStrayPieces(db)).to.equal(0)
  })

  it('are not kept where the application is deleted while they come', async () => {
    const other = await buildShop()
    const { send, answer, received, socket } = await openRawConnection(platform.api)
    send(
      formatHead('POST', `/v1/imports?entityName=DppPassport&application=${other.application}`, {
        'X-Api-Key': other.key,
        'Content-Type': 'application/json',
        'Content-Length': list.length,
        Expect: '100-continue',
      }),
    )
    await waitUntil('the file is asked for', () => received().startsWith('HTTP/1.1 100 Continue'))
    expect((await other.api.delete(`/v1/applications/${other.application}`)).status).to.equal(200)
    send(list)
    expect((await answer()).status).to.equal(404)
    expect(await countStagedFiles(db, other.organization)).to.deep.equal(nothing)
    socket.destroy()
  })

  it('are received of at most six files per key and eight per organization at a time', async () => {
    const other = await buildShop()
    const second = await buildKey(other.organization, { dpp: ['create', 'read'], application: ['read'] })
    const third = await buildKey(other.organization, { dpp: ['create', 'read'], application: ['read'] })
    const importPath = `/v1/imports?entityName=DppPassport&application=${other.application}`
    const open = await Promise.all(
      Array.from({ length: 8 }, async (_, at) => {
        const slow = await openRawConnection(platform.api)
        slow.send(
          formatHead('POST', importPath, {
            'X-Api-Key': at < 6 ? other.key : second.key,
            'Content-Type': 'application/json',
            'Content-Length': list.length,
            Expect: '100-continue',
          }),
        )
        await waitUntil('it is asked for', () => slow.received().startsWith('HTTP/1.1 100 Continue'))
        return slow
      }),
    )
    const seventh = await sendFile(other, list)
    expect([formatVerdict(seventh), seventh.headers['retry-after']]).to.deep.equal(['429 RATE_LIMITED', '5'])
    expect(seventh.body.detail).to.match(/^You are sending 6 files/)
    const ninth = await sendFile({ ...other, api: createApiClient(third.key) }, list)
    expect([formatVerdict(ninth), ninth.headers['retry-after']]).to.deep.equal(['429 RATE_LIMITED', '5'])
    expect(ninth.body.detail).to.match(/^Your organization is sending 8 files/)
    for (const [at, { send, socket, answer }] of open.entries()) {
      if (at % 2 === 0) socket.destroy()
      else {
        send(list)
        expect((await answer()).status).to.equal(202)
        socket.destroy()
      }
    }
    await waitUntil('files are taken again', async () => (await sendFile(other, list)).status === 202)
  })

  it('are received of at most two workbooks per organization at a time', async () => {
    const other = await buildShop()
    const mapper = await createMapper(other)
    const importPath = `/v1/imports?entityName=DppPassport&application=${other.application}&mapperId=${mapper}`
    const open = await Promise.all(
      [1, 2].map(async () => {
        const slow = await openRawConnection(platform.api)
        slow.send(
          formatHead('POST', importPath, {
            'X-Api-Key': other.key,
            'Content-Type': workbookType,
            'Content-Length': 100,
            Expect: '100-continue',
          }),
        )
        await waitUntil('it is asked for', () => slow.received().startsWith('HTTP/1.1 100 Continue'))
        return slow
      }),
    )
    const third = () => sendFile(other, 'PK', { type: workbookType, query: { mapperId: mapper } })
    const refused = await third()
    expect([formatVerdict(refused), refused.headers['retry-after']]).to.deep.equal(['429 RATE_LIMITED', '5'])
    expect((await sendFile(other, list)).status, 'files that are no workbooks').to.equal(202)
    for (const { socket } of open) socket.destroy()
    await waitUntil('there is room again', async () => formatVerdict(await third()) === '400 INVALID_REQUEST')
    expect(await countStagedFiles(db, other.organization)).to.deep.equal(nothing)
  })

  it('leave the connection to the next request, also where they were refused on the way', async () => {
    const { send, answer, socket, received } = await openRawConnection(platform.api)
    const file = Buffer.alloc(3 * mebibyte, 'x')
    send(headOf({ 'Content-Length': file.length }))
    send(file)
    expect((await answer()).status).to.equal(400)
    const before = received().length
    send(formatHead('GET', '/health/live', {}))
    await waitUntil('the next answer comes', () => received().length > before)
    expect(received().slice(before)).to.match(/^HTTP\/1\.1 200 OK/)
    socket.destroy()
  })

  it('are UTF-8 also where a character lies in two pieces, or is cut off at the end', async () => {
    const staged = async (text: string | Buffer) =>
      detectEncoding({ db }, shop.organization, Buffer.from(text as string))
    const line = (bytes: number) => `ref,name\né,b\n${'x'.repeat(bytes - 14)}`
    for (const sign of ['é', '€', '😀']) {
      for (const shift of [0, 1, 2, 3, 4]) {
        expect(await staged(`${line(mebibyte - shift)}${sign},a`), `${sign} ${shift}`).to.equal('utf-8')
        const cut = Buffer.from(`${line(mebibyte - shift)}${sign}`).subarray(0, -1)
        expect(await staged(cut), `${sign} ${shift}, cut off`).to.equal('utf-8')
      }
    }
  })

  it('are removed an hour after their process died, and at the end of their import', async () => {
    const other = await buildShop()
    const { organization } = other
    const pending = await insertImport(db, other, { status: 'pending' })
    const failed = await insertImport(db, other, { status: 'failed' })
    const stage = (ageSeconds: number, job?: string) =>
      insertUpload(db, { organization, ageSeconds, pieces: [Buffer.from('x')], ...(job !== undefined && { job }) })
    const [old, fresh] = [await stage(61 * 60), await stage(59 * 60)]
    const [going, over] = [await stage(2 * 24 * 3_600, pending), await stage(1, failed)]
    await removeStaleUploads({ db })
    expect(await listUploadsWithPieces(db, [old, fresh, going, over])).to.deep.equal([fresh, going].sort())
    await deleteJob(db, pending)
  })
})
