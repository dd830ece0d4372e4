import { fork } from 'node:child_process'
import { createPrivateKey, randomBytes, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { connect, type ClientHttp2Session } from 'node:http2'
import { join } from 'node:path'
import { createApnsClient } from '../../../core/features/loyalty/cards/apple/apns.ts'
import { createPress } from '../../../core/features/loyalty/cards/apple/press.ts'
import type { CardContent } from '../../../core/features/loyalty/cards/content.ts'
import { createPassAuthority, createPassCertificate } from '../../support/wallets/apple/certificates.ts'
import type { BenchOptions } from '../bench-setup.ts'
import type { ApnsPlace } from '../children/apns.ts'
import { atLeast, computeMedian, createAbsoluteFigure, createRatioFigure, type Figure } from '../figures.ts'

const row = 'passes'
const runCount = 3
/** As many requests are on their way at a time as a stand-in takes. */
const concurrency = 1_000

/** Measures how fast passes are signed and packed by one process, and pushes next to bare posts over HTTP/2. */
export async function measurePasses(options: BenchOptions): Promise<Figure[]> {
  return [await measurePress(options), await measurePushes(options)]
}

const content: Omit<CardContent, 'card' | 'points'> = {
  organization: randomUUID(),
  application: randomUUID(),
  account: randomUUID(),
  channel: 'apple-wallet',
  program: 'Alba Club',
  tier: 'Gold',
  visits: 12,
  memberNumber: '7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  message: { id: randomUUID(), headline: 'Ten per cent less', body: 'On all bags until Sunday, in every shop.' },
  theme: { primaryColor: '#0a7d54' },
  websiteUrl: null,
  language: 'it',
  changedAt: new Date(),
  sharedVersion: '',
}

async function measurePress({ quick }: BenchOptions): Promise<Figure> {
  const names = { passTypeIdentifier: 'pass.example.bench', teamIdentifier: 'ABCDE12345' }
  const { certificate, privateKey } = createPassCertificate(createPassAuthority(), names)
  const pictures = ['icon', 'icon@2x', 'icon@3x', 'logo', 'logo@2x', 'logo@3x'].map((name, at) => ({
    name: `${name}.png`,
    body: randomBytes(2_000 * (at + 1)),
  }))
  const press = createPress(
    { channel: 'apple-wallet', ...names, certificates: [certificate], privateKey, version: '1' },
    pictures,
  )
  const address = { webServiceUrl: 'https://api.example.com/v1/apple-wallet', token: 'a'.repeat(64) }
  const key = createPrivateKey(privateKey)
  const bytes = Buffer.alloc(64, 1)
  const count = quick ? 300 : 3_000
  const [bare, ours]: [number[], number[]] = [[], []]
  for (let run = 0; run < runCount; run++) {
    bare.push(await measureRate(count, () => sign('sha256', bytes, key)))
    ours.push(await measureRate(count, (at) => press({ ...content, card: randomUUID(), points: String(at) }, address)))
  }
  return createAbsoluteFigure({
    row,
    what: 'cards of Apple Wallet, signed and packed, one after the other',
    unit: 'passes/s',
    baseline: { name: 'RSA of node:crypto', value: computeMedian(bare) },
    ours: computeMedian(ours),
    target: atLeast(500),
  })
}

async function measureRate(times: number, work: (at: number) => unknown): Promise<number> {
  for (let warm = 0; warm < times / 10; warm++) await work(warm)
  const began = performance.now()
  for (let turn = 0; turn < times; turn++) await work(turn)
  return (times * 1_000) / (performance.now() - began)
}

async function measurePushes({ quick }: BenchOptions): Promise<Figure> {
  const child = fork(join(import.meta.dirname, '../children/apns.ts'))
  const [place] = (await once(child, 'message')) as [ApnsPlace]
  const { url, ca, topic, certificate, privateKey } = place
  const client = createApnsClient({ url, ca, certificates: [certificate], privateKey })
  const session = connect(url, { ca, cert: certificate, key: privateKey })
  await once(session, 'remoteSettings')
  const count = quick ? 5_000 : 50_000
  const tokens = Array.from({ length: count }, () => randomBytes(32).toString('hex'))
  const [bare, ours]: [number[], number[]] = [[], []]
  for (let run = 0; run < runCount; run++) {
    bare.push(await measureTogether(tokens, (token) => post(session, topic, token)))
    ours.push(
      await measureTogether(tokens, async (token) => {
        const { status } = await client.push({ token, topic, id: randomUUID() })
        if (status !== 'sent') throw new Error(`A push was not taken: ${status}`)
      }),
    )
  }
  client.close()
  session.destroy()
  child.disconnect()
  return createRatioFigure({
    row,
    what: `pushes over one connection, ${concurrency.toLocaleString('en')} at a time`,
    unit: 'pushes/s',
    baseline: { name: 'bare HTTP/2 posts', value: computeMedian(bare) },
    ours: computeMedian(ours),
    target: atLeast(0.7),
  })
}

async function measureTogether(tokens: readonly string[], work: (token: string) => Promise<void>): Promise<number> {
  const began = performance.now()
  const left = tokens[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const token of left) await work(token)
    }),
  )
  return (tokens.length * 1_000) / (performance.now() - began)
}

/** Posts what a push is made of, and waits for the answer, with nothing around it. */
function post(session: ClientHttp2Session, topic: string, token: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': `/3/device/${token}`,
      'apns-topic': topic,
      'apns-id': randomUUID(),
      'apns-push-type': 'alert',
      'apns-priority': '10',
    })
    stream.once('response', ({ ':status': status }) => {
      if (status !== 200) reject(new Error(`A post was answered ${status}`))
    })
    stream.once('error', reject)
    stream.once('close', resolve)
    stream.resume()
    stream.end('{}')
  })
}
