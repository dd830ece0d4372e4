import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'

/** A stand-in for a Kubo node that accepts and refuses what Kubo does. */
export interface KuboStandIn {
  /** The value for `IPFS_API_URL`. */
  api: string
  /** The pinned content by identifier. */
  pinned: Map<string, Buffer>
  /** All calls with their status: `200 add`, `200 cat`, `405 add`. */
  calls: string[]
  /** How the node behaves: correctly, with an error, with a wrong identifier or content, or without an answer. */
  behaviour: 'well' | 'broken' | 'lying' | 'silent'
  /** The Authorization header that each call must have; null accepts all calls. */
  authorization: string | null
  stop(): Promise<void>
}

const knownOptions = new Set(['cid-version', 'raw-leaves', 'chunker', 'pin', 'progress', 'quiet', 'quieter', 'hash'])

/** Starts the stand-in. Source: Kubo RPC API, `/api/v0/add`, `/api/v0/cat`. */
export async function startKubo(): Promise<KuboStandIn> {
  const server = createServer((request, response) => void answerRequest(kubo, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const kubo: KuboStandIn = {
    api: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pinned: new Map(),
    calls: [],
    behaviour: 'well',
    authorization: null,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return kubo
}

async function answerRequest(kubo: KuboStandIn, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(String(request.url), kubo.api)
  const bytes = await readBody(request)
  if (kubo.behaviour === 'silent') return
  const sendReply: ReplyFunction = (status, type, text) => {
    kubo.calls.push(`${status} ${url.pathname.split('/').at(-1)}`)
    response.writeHead(status, { 'content-type': type }).end(text)
  }
  const refuse = (status: number, message: string) =>
    sendReply(status, 'application/json', JSON.stringify({ Message: message, Code: 0, Type: 'error' }))
  if (request.method !== 'POST') return sendReply(405, 'text/plain', '405 - Method Not Allowed\n')
  if (kubo.authorization !== null && request.headers.authorization !== kubo.authorization)
    return sendReply(403, 'text/plain', '403\n')
  if (url.pathname === '/api/v0/cat') return sendContent(kubo, url, { reply: sendReply, refuse })
  if (url.pathname !== '/api/v0/add') return sendReply(404, 'text/plain', '404 page not found\n')
  const unknown = [...url.searchParams.keys()].find((name) => !knownOptions.has(name))
  if (unknown !== undefined) return refuse(400, `unknown option "${unknown}"`)
  if (kubo.behaviour === 'broken') return refuse(500, 'blockstore: block not found')
  const file = await parseFile(request, bytes)
  if (!file) return refuse(400, "file argument 'path' is required")
  const size = /^size-(\d+)$/.exec(url.searchParams.get('chunker') ?? 'size-262144')?.[1]
  if (size === undefined) return refuse(500, 'unrecognized chunker option')
  const cid = await computeCid(url.searchParams, Number(size), file.bytes)
  if (url.searchParams.get('pin') !== 'false') kubo.pinned.set(cid, file.bytes)
  const hash = kubo.behaviour === 'lying' ? cid.replace(/.{4}$/, 'aaaa') : cid
  sendReply(
    200,
    'application/json',
    `${JSON.stringify({ Name: file.name, Hash: hash, Size: String(file.bytes.length) })}\n`,
  )
}

type ReplyFunction = (status: number, type: string, text: string | Buffer) => void

function sendContent(
  kubo: KuboStandIn,
  url: URL,
  { reply, refuse }: { reply: ReplyFunction; refuse: (status: number, message: string) => void },
): void {
  const cid = url.searchParams.get('arg')
  if (cid === null) return refuse(400, 'argument "ipfs-path" is required')
  const bytes = kubo.pinned.get(cid)
  if (kubo.behaviour === 'broken' || !bytes)
    return refuse(500, 'block was not found locally (offline): ipld: could not find')
  reply(200, 'text/plain', kubo.behaviour === 'lying' ? Buffer.from('something else') : bytes)
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Parses the file part of a multipart body; null if there is none. */
async function parseFile({ headers }: IncomingMessage, bytes: Buffer): Promise<{ name: string; bytes: Buffer } | null> {
  const type = headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return null
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } })
    .formData()
    .catch(() => null)
  const part = form?.get('file')
  return part instanceof File ? { name: part.name, bytes: Buffer.from(await part.arrayBuffer()) } : null
}

/** Computes the identifier with the requested chunk size. Without options it uses version 0, as Kubo does. */
async function computeCid(query: URLSearchParams, chunkSize: number, content: Buffer): Promise<string> {
  const options = {
    cidVersion: query.get('cid-version') === '1' ? 1 : 0,
    rawLeaves: query.get('raw-leaves') === 'true',
    chunker: fixedSize({ chunkSize }),
  } as const
  let root = ''
  for await (const { cid } of importer([{ content }], { put: (block) => block }, options)) root = cid.toString()
  return root
}
