import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { constants, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { request } from 'undici'
import { createApiClient } from '../../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'
import { countStagedFiles } from '../../../support/rows/imports/uploads.ts'
import { buildOperator } from '../../identity/people.ts'

const mebibyte = 1024 * 1024
const limit = 256 * mebibyte

describe('POST /v1/imports: files at the size limit', function () {
  this.timeout(300_000)
  let own: OwnPlatform
  let built: Awaited<ReturnType<typeof buildOperator>>
  before(async () => {
    own = await startPlatform()
    built = await buildOperator(own.database)
  })
  after(async () => {
    await built.close()
    await own.stop()
  })

  const path = () => `/v1/imports?entityName=DppPassport&application=${own.application}&dryRun=true`
  /** The most memory that the API ever had, in MiB. */
  const peak = () =>
    Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${own.children.server.pid}/status`, 'utf8'))?.[1]) / 1024
  function* spaces(bytes: number) {
    yield Buffer.from('[')
    const piece = Buffer.alloc(mebibyte, ' ')
    for (let rest = bytes - 2; rest > 0; rest -= piece.length) yield piece.subarray(0, rest)
    yield Buffer.from(']')
  }
  const pour = async (bytes: number) => {
    const { statusCode, body } = await request(`${own.api}${path()}`, {
      method: 'POST',
      headers: { 'x-api-key': own.apiKey, 'content-type': 'application/json' },
      body: Readable.from(spaces(bytes)),
    })
    return [statusCode, ((await body.json()) as { code?: string }).code]
  }

  it('are taken with 256 MB, refused with one byte more, and memory stays flat', async () => {
    const before = peak()
    expect(await pour(limit)).to.deep.equal([202, undefined])
    expect(await pour(limit + 1)).to.deep.equal([400, 'IMPORT_TOO_LARGE'])
    expect((await countStagedFiles(built.context.db, own.organization)).pieces).to.equal(0)
    expect(peak() - before, 'MiB more than before').to.be.lessThan(120)
  })

  it('are stopped where they unfold past it, and memory stays flat', async () => {
    const some = gzipSync(Buffer.alloc(64 * mebibyte, ' '), { level: constants.Z_BEST_SPEED })
    const bomb = Buffer.concat([gzipSync('['), ...Array<Buffer>(40).fill(some)])
    const before = peak()
    const refused = await createApiClient(own.apiKey, own.api).post(path(), undefined, {
      raw: bomb,
      headers: { 'content-encoding': 'gzip' },
    })
    expect([refused.status, refused.body.code]).to.deep.equal([400, 'IMPORT_TOO_LARGE'])
    expect((await countStagedFiles(built.context.db, own.organization)).pieces).to.equal(0)
    expect(peak() - before, 'MiB more than before').to.be.lessThan(120)
  })
})
