import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { passport, token } from './answers.ts'
import { port, announceReady } from './arguments.ts'

/**
 * An API that costs almost nothing, so that only the server in front of it is measured. It serves our document and
 * constant answers. `upstream.ts <port>`.
 */
const document = readFileSync(join(import.meta.dirname, '../../../openapi.json'))
const json = (bytes: Buffer) => ({ 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length })
const [passportBytes, tokenBytes] = [passport, token].map((value) => Buffer.from(JSON.stringify(value))) as [
  Buffer,
  Buffer,
]

createServer((request, response) => {
  const { url = '', method } = request
  const answer = (status: number, bytes: Buffer) => response.writeHead(status, json(bytes)).end(bytes)
  if (url === '/openapi.json') answer(200, document)
  else if (method === 'POST') request.resume().once('end', () => answer(201, passportBytes))
  else answer(200, url.endsWith('/magic-token') ? tokenBytes : passportBytes)
}).listen(Number(port), '127.0.0.1', announceReady)
