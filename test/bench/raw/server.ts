import { hash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import pg from 'pg'
import { accountLists, createAccountStatement, presentAccount } from './accounts.ts'
import { insertCredit, type CreditRow } from './credits.ts'
import {
  insertPassport,
  keyByHash,
  createListStatement,
  passportById,
  presentToAll,
  presentToOwners,
  type Row,
} from './passports.ts'

/**
 * The baseline of the API: the same answers with only `node:http` and prepared statements; each request looks up its
 * key. `server.ts <port> <database>`.
 */
const [port = '0', connectionString = ''] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, max: 20, application_name: 'raw' })

async function queryRows<T>(name: string, text: string, values: unknown[]): Promise<T[]> {
  const { rows } = await pool.query<T & pg.QueryResultRow>({ name, text, values })
  return rows
}

const lists = {
  status: { kept: createListStatement('status', 'kept'), capped: createListStatement('status', 'capped') },
  sheet: { kept: createListStatement('sheet', 'kept'), capped: createListStatement('sheet', 'capped') },
}

interface ApiKeyRow {
  organization: string
  permissions: string
  expires_at: Date | null
}

/** Returns the organization of the key if the key may do the action on the resource; otherwise null. */
async function authorizeKey(
  { headers }: IncomingMessage,
  action: string,
  resource: 'dpp' | 'loyalty' = 'dpp',
): Promise<string | null> {
  const [key] = await queryRows<ApiKeyRow>('key', keyByHash, [
    hash('sha256', String(headers['x-api-key']), 'base64url'),
  ])
  if (!key || (key.expires_at && key.expires_at < new Date())) return null
  const { [resource]: actions = [] } = JSON.parse(key.permissions) as Partial<Record<typeof resource, string[]>>
  return actions.includes(action) ? key.organization : null
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  response
    .writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) })
    .end(body)
}

async function readPassport(response: ServerResponse, id: string): Promise<void> {
  const [row] = await queryRows<Row>('read', passportById, [id])
  if (row) sendJson(response, 200, presentToAll(row))
  else sendJson(response, 404, {})
}

async function listPassports(
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  const organization = await authorizeKey(request, 'read')
  if (organization === null) return sendJson(response, 401, {})
  const status = query.get('filters[status][eq]')
  const currentPage = Number(query.get('currentPage') ?? 1)
  const count = query.get('count') === 'capped' ? 'capped' : 'kept'
  const column = status === null ? 'sheet' : 'status'
  const offset = Math.trunc((currentPage - 1) * 10)
  const values = [organization, status ?? query.get('filters[product][eq]')]
  const pageRows =
    query.get('plan') === 'kept'
      ? await queryRows<Row>(`list ${column} ${count} ${offset}`, `${lists[column][count]} offset ${offset}`, values)
      : await queryRows<Row>(`list ${column} ${count}`, `${lists[column][count]} offset $3`, [...values, offset])
  const last = pageRows.length > 10 ? pageRows[9] : undefined
  const at = last?.['created_at'] as Date | undefined
  sendJson(response, 200, {
    data: pageRows.slice(0, 10).map(presentToOwners),
    total: pageRows[0]?.['total'] ?? 0,
    currentPage,
    pageSize: 10,
    nextCursor: last && at ? Buffer.from(JSON.stringify([at, last.id])).toString('base64url') : null,
  })
}

async function createPassport(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [organization, body] = await Promise.all([authorizeKey(request, 'create'), json(request)])
  if (organization === null) return sendJson(response, 401, {})
  const { product, fields } = body as { product: string; fields: object }
  const [row] = await queryRows<Row>('create', insertPassport, [organization, product, JSON.stringify(fields)])
  if (row) sendJson(response, 201, presentToOwners(row))
  else sendJson(response, 404, {})
}

async function listAccounts(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> {
  const organization = await authorizeKey(request, 'read', 'loyalty')
  if (organization === null) return sendJson(response, 401, {})
  const [name, values] = [query.get('list') ?? '', query.getAll('value')]
  const list = accountLists[name]
  if (!list) return sendJson(response, 404, {})
  const isLater = values.length === 2
  const rows = await queryRows<Row>(`accounts ${name} ${isLater}`, createAccountStatement(list, isLater), [
    organization,
    ...values,
  ])
  const last = rows.length > 10 ? rows[9] : undefined
  sendJson(response, 200, {
    data: rows.slice(0, 10).map(presentAccount),
    total: rows[0]?.['total'] ?? 0,
    currentPage: 1,
    pageSize: 10,
    nextCursor:
      last === undefined ? null : Buffer.from(JSON.stringify([last['created_at'], last.id])).toString('base64url'),
  })
}

async function creditPoints(request: IncomingMessage, response: ServerResponse, account: string): Promise<void> {
  const [organization, body] = await Promise.all([authorizeKey(request, 'update', 'loyalty'), json(request)])
  if (organization === null) return sendJson(response, 401, {})
  const { amount } = body as { amount: number }
  const operation = hash('sha256', JSON.stringify([organization, 'mint', account, randomUUID()]), 'buffer')
  const [row] = await queryRows<CreditRow>('credit', insertCredit, [organization, account, operation, amount])
  if (!row) return sendJson(response, 404, {})
  sendJson(response, 202, {
    jobId: row.job,
    operationId: `0x${operation.toString('hex')}`,
    amount: String(amount),
    optimisticBalance: row.balance,
  })
}

async function routeRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  if (path.startsWith('/v1/loyalty/account/')) return creditPoints(request, response, path.split('/')[4] ?? '')
  if (path === '/v1/accounts') return listAccounts(request, response, new URLSearchParams(query))
  if (request.method === 'POST') return createPassport(request, response)
  const id = path.split('/')[4]
  return id === undefined ? listPassports(request, response, new URLSearchParams(query)) : readPassport(response, id)
}

createServer((request, response) => {
  routeRequest(request, response).catch((cause: unknown) => {
    process.stderr.write(`raw: ${cause instanceof Error ? cause.stack : String(cause)}\n`)
    sendJson(response, 500, {})
  })
}).listen(Number(port), '127.0.0.1', () => process.send?.({ ready: true }))
process.on('SIGTERM', () => process.exit(0))
process.on('disconnect', () => process.exit(0))
