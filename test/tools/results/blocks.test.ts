import { expect } from 'chai'
import { readCatalogue } from '../../../tools/catalogue/catalogue.ts'
import type { ApiRequest } from '../../../tools/results/api-request.ts'
import { createToolResult } from '../../../tools/results/results.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'

const api = 'http://127.0.0.1:3333'
const { resources } = readCatalogue(createBridgeDocument(), api)
const options = { resources, wrapsStructure: true, secrets: null, keptUri: null }
const posted: ApiRequest = { method: 'POST', path: '/v1/pack', accept: '*/*', body: null }

/** The blocks of a whole answer. */
function blocksOf(mediaType: string, bytes: Uint8Array) {
  const around = { status: 200, location: null, retryAfter: null, start: 0, complete: true, size: bytes.length }
  return createToolResult(posted, { ...around, mediaType, bytes }, options).result.content
}

describe('tools/call: a result that is not JSON', () => {
  it('is a sound by its media type', () => {
    const bytes = Buffer.from('RIFF')
    expect(blocksOf('audio/wav', bytes)).to.deep.equal([
      { type: 'audio', data: bytes.toString('base64'), mimeType: 'audio/wav' },
    ])
  })

  it('gives a block for each of several parts, by its media type, and loses no byte', () => {
    const picture = Buffer.from([0x89, 0x50, 0, 255])
    const bytes = Buffer.concat([
      Buffer.from('--x\r\nContent-Type: text/plain\r\n\r\nHow round!\r\n--x\r\nContent-Type: image/png\r\n\r\n'),
      picture,
      Buffer.from('\r\n--x\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n'),
      Buffer.from('--x\r\nContent-Type: application/zip\r\n\r\nPK\r\n--x--\r\n'),
    ])
    expect(blocksOf('multipart/mixed; boundary=x', bytes)).to.deep.equal([
      { type: 'text', text: 'How round!' },
      { type: 'image', data: picture.toString('base64'), mimeType: 'image/png' },
      { type: 'text', text: '{"a":1}' },
      {
        type: 'resource',
        resource: { uri: `${api}/v1/pack#part=4`, mimeType: 'application/zip', blob: 'UEs=' },
      },
    ])
  })

  it('gives the bytes of a malformed multipart body', () => {
    const bytes = Buffer.from('--x\r\n\r\nno end')
    const mimeType = 'multipart/mixed; boundary=x'
    expect(blocksOf(mimeType, bytes)).to.deep.equal([
      { type: 'resource', resource: { uri: `${api}/v1/pack`, mimeType, blob: bytes.toString('base64') } },
    ])
  })
})
