import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync } from 'node:zlib'
import type { Knex } from 'knex'
import { hashSecret } from '../../../core/features/identity/index.ts'
import type { BenchSetup } from '../bench-setup.ts'
import { atMost, computeMedian, createAbsoluteFigure, createInformativeFigure, type Figure } from '../figures.ts'

const row = 'console'
/** Pages of one kind that are opened, which differ in what they are about. */
const maxPagesOfKind = 2
const turns = 9

interface MeasuredPage {
  path: string
  /** Time until the answer was there, in milliseconds; of several, their median. */
  ms: number
  /** Bytes of the body over the wire. */
  bytes: number
}

/**
 * Opens every page of the console to which links lead, as an owner, one request at a time: first each once, because a
 * fresh process compiles its code during the first requests, then each several times in turn. What is measured is the
 * slowest and the largest page, with all the passports in the database; what the very first page took stands beside it.
 */
export async function measureConsole(stand: BenchSetup): Promise<Figure[]> {
  const { url } = await stand.api()
  const session = await openOwnerSession(stand)
  const reader = new PageReader(url, `tessera.session=${session.token}`)
  try {
    await acceptDocuments(url, session.token)
    const found = await findPages(reader)
    const pages = await measurePages(reader, found, stand.options.quick ? 3 : turns)
    const bySpeed = pages.toSorted((a, b) => b.ms - a.ms)
    for (const { path, ms } of bySpeed.slice(0, 8)) process.stderr.write(`${ms.toFixed(1)} ms: ${formatKind(path)}\n`)
    const [slowest] = bySpeed
    const [largest] = pages.toSorted((a, b) => b.bytes - a.bytes)
    const [first] = found
    if (!slowest || !largest || !first) throw new Error('The console has no pages')
    const count = `${pages.length} pages of the console, ${stand.facts.passports.toLocaleString('en')} passports`
    return [
      createAbsoluteFigure({
        row,
        what: `${count}: the slowest, ${formatKind(slowest.path)}`,
        unit: 'ms',
        ours: slowest.ms,
        target: atMost(100),
      }),
      createInformativeFigure({
        row,
        what: `the first of a fresh process, ${formatKind(first.path)}`,
        unit: 'ms',
        ours: first.ms,
      }),
      createInformativeFigure({
        row,
        what: 'the page in the middle',
        unit: 'ms',
        ours: computeMedian(pages.map(({ ms }) => ms)),
      }),
      createAbsoluteFigure({
        row,
        what: `the largest over the wire, ${formatKind(largest.path)}`,
        unit: 'kB',
        ours: largest.bytes / 1_000,
        target: atMost(60),
      }),
    ]
  } finally {
    reader.close()
    await stand.db('sessions').where({ id: session.id }).delete()
  }
}

/** Opens a session of the organization's owner, as the sign-in would. */
async function openOwnerSession({ db, facts: { organization } }: BenchSetup): Promise<{ id: string; token: string }> {
  const owner = await findOwner(db, organization)
  const [id, token] = [randomUUID(), randomBytes(16).toString('hex')]
  await db('sessions').insert({
    id,
    token: hashSecret(token),
    user_id: owner,
    kind: 'member',
    active_organization_id: organization,
    expires_at: new Date(Date.now() + 3_600_000),
  })
  return { id, token }
}

async function findOwner(db: Knex, organization: string): Promise<string> {
  const member = await db('members')
    .where({ organization_id: organization, role: 'owner' })
    .first<{ user_id: string } | undefined>('user_id')
  if (!member) throw new Error('The organization has no owner')
  return member.user_id
}

async function acceptDocuments(url: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const state = (await (await fetch(`${url}/v1/legal/me`, { headers })).json()) as {
    missing: { id: string; version: string }[]
  }
  if (state.missing.length === 0) return
  const acceptances = state.missing.map(({ id, version }) => ({ document: id, version }))
  const body = JSON.stringify({ acceptances })
  const answer = await fetch(`${url}/v1/legal/acceptances`, { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(`The documents were not accepted: ${await answer.text()}`)
}

/** Reads pages over one connection. */
class PageReader {
  readonly #url: string
  readonly #cookie: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(url: string, cookie: string) {
    this.#url = url
    this.#cookie = cookie
  }

  async read(path: string): Promise<{ status: number; type: string; body: string; bytes: number; ms: number }> {
    const began = performance.now()
    const sent = request(`${this.#url}${path}`, {
      agent: this.#agent,
      headers: { cookie: this.#cookie, 'accept-encoding': 'br', accept: 'text/html' },
    })
    sent.end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const received = await buffer(answer)
    const ms = performance.now() - began
    const body = answer.headers['content-encoding'] === 'br' ? brotliDecompressSync(received) : received
    const type = answer.headers['content-type'] ?? ''
    return { status: answer.statusCode ?? 0, type, body: body.toString('utf8'), bytes: received.length, ms }
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** The path of a page without what it is about, and the names of its parameters. */
function formatKind(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://console.example')
  const names = [...new Set(searchParams.keys())].sort()
  const kind = pathname.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id')
  return names.length > 0 ? `${kind}?${names.join('&')}` : kind
}

/** Opens every page to which links lead, once. */
async function findPages(reader: PageReader): Promise<MeasuredPage[]> {
  const found = new Map<string, number>()
  const pending = ['/console']
  const seen = new Set(pending)
  const pages: MeasuredPage[] = []
  for (let path = pending.shift(); path !== undefined; path = pending.shift()) {
    const { status, type, body, bytes, ms } = await reader.read(path)
    // A page may say why something cannot be done now.
    if (![200, 303, 409, 422].includes(status)) throw new Error(`${path} was answered with ${status}`)
    // A redirection, and a file, are no pages.
    if (status === 303 || !type.startsWith('text/html')) continue
    pages.push({ path, ms, bytes })
    for (const link of listLinks(body, path)) {
      const kind = formatKind(link)
      if (seen.has(link) || (found.get(kind) ?? 0) >= maxPagesOfKind) continue
      found.set(kind, (found.get(kind) ?? 0) + 1)
      seen.add(link)
      pending.push(link)
    }
  }
  return pages
}

async function measurePages(
  reader: PageReader,
  found: readonly MeasuredPage[],
  count: number,
): Promise<MeasuredPage[]> {
  const pages: MeasuredPage[] = []
  for (const { path, bytes } of found) {
    const times: number[] = []
    for (let turn = 0; turn < count; turn++) times.push((await reader.read(path)).ms)
    pages.push({ path, ms: computeMedian(times), bytes })
  }
  return pages
}

/** Lists where the links of a page lead within the console. A file, which lists everything, is no page. */
const listLinks = (body: string, here: string): string[] =>
  [...body.matchAll(/<a\b[^>]*\shref="([^"]*)"/g)]
    .map(([, address = '']) => new URL(address.replaceAll('&amp;', '&'), `http://console.example${here}`))
    .filter(({ host, pathname }) => host === 'console.example' && /^\/console(\/|$)/.test(pathname))
    .filter(({ pathname }) => !/\.\w+$/.test(pathname))
    .map(({ pathname, search }) => `${pathname}${search}`)
