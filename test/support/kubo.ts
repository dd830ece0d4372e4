import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MemoryBlockstore } from 'blockstore-core/memory'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'

/** A node that takes and gives content as Kubo does, and refuses what Kubo refuses. */
export interface Kubo {
  /** For `IPFS_API_URL`. */
  api: string
  /** Content by identifier. */
  pinned: Map<string, Buffer>
  /** Every call, as it was answered: `200 add`, `200 cat`, `405 add`. */
  calls: string[]
  /** What it does instead of its work: answers an error, another identifier, or nothing for ever. */
  mood: 'well' | 'broken' | 'lying' | 'silent'
  /** Demanded of each call where it is set. */
  authorization: string | null
  stop(): Promise<void>
}

const known = new Set(['cid-version', 'raw-leaves', 'chunker', 'pin', 'progress', 'quiet', 'quieter', 'hash'])

/** Source: Kubo RPC API, `/api/v0/add`, `/api/v0/cat`. */
export async function startKubo(): Promise<Kubo> {
  const server = createServer((request, response) => void answer(kubo, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const kubo: Kubo = {
    api: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pinned: new Map(), calls: [], mood: 'well', authorization: null,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return kubo
}

async function answer(kubo: Kubo, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(String(request.url), kubo.api)
  const bytes = await bodyOf(request)
  if (kubo.mood === 'silent') return
  const reply: Reply = (status, type, text) => {
    kubo.calls.push(`${status} ${url.pathname.split('/').at(-1)}`)
    response.writeHead(status, { 'content-type': type }).end(text)
  }
  const refuse = (status: number, message: string) =>
    reply(status, 'application/json', JSON.stringify({ Message: message, Code: 0, Type: 'error' }))
  if (request.method !== 'POST') return reply(405, 'text/plain', '405 - Method Not Allowed\n')
  if (kubo.authorization !== null && request.headers.authorization !== kubo.authorization) return reply(403, 'text/plain', '403\n')
  if (url.pathname === '/api/v0/cat') return give(kubo, url, { reply, refuse })
  if (url.pathname !== '/api/v0/add') return reply(404, 'text/plain', '404 page not found\n')
  const unknown = [...url.searchParams.keys()].find((name) => !known.has(name))
  if (unknown !== undefined) return refuse(400, `unknown option "${unknown}"`)
  if (kubo.mood === 'broken') return refuse(500, 'blockstore: block not found')
  const file = await fileOf(request, bytes)
  if (!file) return refuse(400, "file argument 'path' is required")
  const size = /^size-(\d+)$/.exec(url.searchParams.get('chunker') ?? 'size-262144')?.[1]
  if (size === undefined) return refuse(500, 'unrecognized chunker option')
  const cid = await cidBy(url.searchParams, Number(size), file.bytes)
  if (url.searchParams.get('pin') !== 'false') kubo.pinned.set(cid, file.bytes)
  const hash = kubo.mood === 'lying' ? cid.replace(/.{4}$/, 'aaaa') : cid
  reply(200, 'application/json', `${JSON.stringify({ Name: file.name, Hash: hash, Size: String(file.bytes.length) })}\n`)
}

type Reply = (status: number, type: string, text: string | Buffer) => void

function give(kubo: Kubo, url: URL, { reply, refuse }: { reply: Reply; refuse: (status: number, message: string) => void }): void {
  const cid = url.searchParams.get('arg')
  if (cid === null) return refuse(400, 'argument "ipfs-path" is required')
  const bytes = kubo.pinned.get(cid)
  if (kubo.mood === 'broken' || !bytes) return refuse(500, 'block was not found locally (offline): ipld: could not find')
  reply(200, 'text/plain', kubo.mood === 'lying' ? Buffer.from('something else') : bytes)
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The one file part of a multipart body. */
async function fileOf({ headers }: IncomingMessage, bytes: Buffer): Promise<{ name: string; bytes: Buffer } | null> {
  const type = headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return null
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData().catch(() => null)
  const part = form?.get('file')
  return part instanceof File ? { name: part.name, bytes: Buffer.from(await part.arrayBuffer()) } : null
}

/** As the node was told to cut it; without arguments in the old form, as Kubo does. */
async function cidBy(query: URLSearchParams, chunkSize: number, content: Buffer): Promise<string> {
  const options = {
    cidVersion: query.get('cid-version') === '1' ? 1 : 0, rawLeaves: query.get('raw-leaves') === 'true',
    chunker: fixedSize({ chunkSize }),
  } as const
  let root = ''
  for await (const { cid } of importer([{ content }], new MemoryBlockstore(), options)) root = cid.toString()
  return root
}
