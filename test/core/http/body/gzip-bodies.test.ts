import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { Context as KoaContext } from 'koa'
import { createUploadReader } from '../../../../core/http/body/upload.ts'
import type { OperationDeclaration } from '../../../../core/kernel/operation.ts'
import type { ProblemError } from '../../../../core/kernel/problem.ts'

describe('Content-Encoding: gzip of a request body', () => {
  const read = createUploadReader({
    upload: { 'application/json': {} },
    transport: { maxBodyBytes: 10_000, tooLargeCode: 'IMPORT_TOO_LARGE' },
  } as unknown as OperationDeclaration)
  const server = createServer((req, res) => {
    const ctx = { req, res, request: { is: () => 'application/json' } } as unknown as KoaContext
    const whole = async () => {
      let bytes = 0
      const file = await read(ctx).openFile()
      for await (const chunk of file?.bytes ?? []) bytes += chunk.length
      return `${bytes}`
    }
    whole()
      .catch((cause: ProblemError) => cause.code)
      .then(
        (text) => res.end(text),
        () => res.destroy(),
      )
  })
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  after(() => {
    server.close()
  })

  const answerTo = async (body: Buffer, coding = 'gzip') => {
    const { port } = server.address() as AddressInfo
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-encoding': coding },
      body,
    })
    return answer.text()
  }
  const nothing = (times: number) => Buffer.concat(Array<Buffer>(times).fill(gzipSync('')))

  it('ends at its limit, unpacked, and as it came: parts of nothing could come for ever', async () => {
    expect(await answerTo(gzipSync('x'.repeat(10_000)))).to.equal('10000')
    expect(await answerTo(gzipSync('x'.repeat(10_001)))).to.equal('IMPORT_TOO_LARGE')
    expect(await answerTo(nothing(300))).to.equal('0')
    expect(await answerTo(nothing(3_000))).to.equal('IMPORT_TOO_LARGE')
  })

  it('has the same limit as a body that is not packed', async () => {
    expect(await answerTo(Buffer.alloc(10_000), 'Identity')).to.equal('10000')
    expect(await answerTo(Buffer.alloc(10_001), 'identity')).to.equal('IMPORT_TOO_LARGE')
    expect(await answerTo(Buffer.alloc(10), 'br')).to.equal('UNSUPPORTED_MEDIA_TYPE')
  })
})
