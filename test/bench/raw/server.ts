import { hash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import pg from 'pg'
import { insertPassport, keyByHash, listBy, passportById, shownToAll, shownToOwners, type Row } from './passports.ts'

/**
 * What the API is measured against: the same answers by `node:http` and prepared statements alone, the key looked up at
 * each request. `server.ts <port> <database>`.
 */
const [port = '0', connectionString = ''] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, max: 20, application_name: 'raw' })

async function ask<T>(name: string, text: string, values: unknown[]): Promise<T[]> {
  const { rows } = await pool.query<T & pg.QueryResultRow>({ name, text, values })
  return rows
}

const lists = {
  status: { kept: listBy('status', 'kept'), capped: listBy('status', 'capped') },
  sheet: { kept: listBy('sheet', 'kept'), capped: listBy('sheet', 'capped') },
}

interface Key {
  organization: string
  permissions: string
  expires_at: Date | null
}

/** The organization of the key, when it may do this. */
async function organizationOf({ headers }: IncomingMessage, action: string): Promise<string | null> {
  const [key] = await ask<Key>('key', keyByHash, [hash('sha256', String(headers['x-api-key']), 'base64url')])
  if (!key || (key.expires_at && key.expires_at < new Date())) return null
  const { dpp = [] } = JSON.parse(key.permissions) as { dpp?: string[] }
  return dpp.includes(action) ? key.organization : null
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  response
    .writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) })
    .end(body)
}

async function read(response: ServerResponse, id: string): Promise<void> {
  const [row] = await ask<Row>('read', passportById, [id])
  if (row) send(response, 200, shownToAll(row))
  else send(response, 404, {})
}

async function list(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> {
  const organization = await organizationOf(request, 'read')
  if (organization === null) return send(response, 401, {})
  const status = query.get('filters[status][eq]')
  const currentPage = Number(query.get('currentPage') ?? 1)
  const count = query.get('count') === 'capped' ? 'capped' : 'kept'
  const column = status === null ? 'sheet' : 'status'
  const offset = Math.trunc((currentPage - 1) * 10)
  const values = [organization, status ?? query.get('filters[product][eq]')]
  const found = query.get('plan') === 'kept'
    ? await ask<Row>(`list ${column} ${count} ${offset}`, `${lists[column][count]} offset ${offset}`, values)
    : await ask<Row>(`list ${column} ${count}`, `${lists[column][count]} offset $3`, [...values, offset])
  const last = found.length > 10 ? found[9] : undefined
  const at = last?.['created_at'] as Date | undefined
  send(response, 200, {
    data: found.slice(0, 10).map(shownToOwners),
    total: found[0]?.['total'] ?? 0,
    currentPage,
    pageSize: 10,
    nextCursor: last && at ? Buffer.from(JSON.stringify([at, last.id])).toString('base64url') : null,
  })
}

async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [organization, body] = await Promise.all([organizationOf(request, 'create'), json(request)])
  if (organization === null) return send(response, 401, {})
  const { product, fields } = body as { product: string; fields: object }
  const [row] = await ask<Row>('create', insertPassport, [organization, product, JSON.stringify(fields)])
  if (row) send(response, 201, shownToOwners(row))
  else send(response, 404, {})
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  if (request.method === 'POST') return create(request, response)
  const id = path.split('/')[4]
  return id === undefined ? list(request, response, new URLSearchParams(query)) : read(response, id)
}

createServer((request, response) => {
  answer(request, response).catch((cause: unknown) => {
    process.stderr.write(`raw: ${cause instanceof Error ? cause.stack : String(cause)}\n`)
    send(response, 500, {})
  })
}).listen(Number(port), '127.0.0.1', () => process.send?.({ ready: true }))
process.on('SIGTERM', () => process.exit(0))
process.on('disconnect', () => process.exit(0))
