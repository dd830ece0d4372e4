import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { localProductionSettings, type BenchOptions, type BenchSetup } from '../bench-setup.ts'
import { createPassAuthority, createPassCertificate, type PemPair } from '../../support/wallets/apple/certificates.ts'
import {
  atLeast,
  atMost,
  computeMedian,
  createAbsoluteFigure,
  createInformativeFigure,
  createRatioFigure,
  type Figure,
} from '../figures.ts'
import { startPinnedProcess, type PinnedProcess } from '../pinned-process.ts'
import { startCampaignsSetup, type CampaignsData } from './campaigns.data.ts'
import { exportedSql } from './campaigns.sql.ts'

const row = 'campaigns'
const names = { passTypeIdentifier: 'pass.com.example.bench', teamIdentifier: 'BENCHTEAM1' }

/** The stand-in of the push service, and what it takes certificates from. */
interface Service {
  process: PinnedProcess
  url: string
  authority: PemPair
  certificate: PemPair
}

interface Json {
  [name: string]: unknown
}

/**
 * Measures previews, sending, statistics and the export of a campaign to 1,000,000 customers with a card in Apple Wallet,
 * beside bare pushes to the same service, and COPY. What the preview said is compared with what was sent.
 */
export async function measureCampaigns(options: BenchOptions): Promise<Figure[]> {
  const setup = await startCampaignsSetup(options)
  const service = await startService(setup)
  try {
    const api = await createCaller(setup)
    await configure(api, setup, service)
    const previews = await measurePreviews(setup, api, 'all of them free')
    const bare = [await measureBarePushes(setup, service)]
    const { figures, campaign } = await measureSending(setup, api, service, async () => {
      bare.push(await measureBarePushes(setup, service))
      return computeMean(bare)
    })
    const capped = await measurePreviews(setup, api, 'none of them free because of the cap', false)
    return [...previews, ...figures, ...capped, ...(await measureReads(setup, api, campaign))]
  } finally {
    await service.process.stop()
    await setup.stop()
  }
}

const computeMean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length

async function startService(setup: BenchSetup<CampaignsData>): Promise<Service> {
  const authority = createPassAuthority()
  const file = join(setup.scratch, 'apns')
  const process = await startPinnedProcess({
    name: 'apns',
    entry: 'test/bench/campaigns/apns.child.ts',
    args: [JSON.stringify(authority), file],
    env: setup.env,
    pinned: 'generator',
  })
  return { process, url: readFileSync(file, 'utf8'), authority, certificate: createPassCertificate(authority, names) }
}

type Caller = (method: string, path: string, body?: object) => Promise<Response>

async function createCaller(setup: BenchSetup<CampaignsData>): Promise<Caller> {
  const { url } = await setup.api()
  return async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        'X-Api-Key': setup.facts.apiKey,
        'Accept-Encoding': 'identity',
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
}

const readJson = async (answer: Promise<Response>) => (await (await answer).json()) as Json

async function configure(api: Caller, { facts: { shop } }: BenchSetup<CampaignsData>, service: Service): Promise<void> {
  await api('PATCH', `/v1/applications/${shop}`, { loyaltySettings: { appleWallet: names, frequencyCapPer24h: 1 } })
  await api('PUT', `/v1/applications/${shop}/wallet-credentials/apple-wallet`, service.certificate)
}

const targetings = [
  {},
  { minPoints: 50_000 },
  { maxVisits: 30, inactiveForDays: 60 },
  { locales: ['fr', 'de'], birthdayMonth: 5 },
  { minPoints: 100, maxPoints: 90_000, minVisits: 1, maxVisits: 50, network: 'EthereumAnvil', locales: ['it'] },
]

async function measurePreviews(
  setup: BenchSetup<CampaignsData>,
  api: Caller,
  when: string,
  isTarget = true,
): Promise<Figure[]> {
  const rounds = setup.options.quick ? 4 : 30
  const times: number[] = []
  for (let round = -2; round < rounds; round++)
    for (const targeting of targetings) {
      const began = performance.now()
      await readJson(preview(setup, api, targeting))
      if (round >= 0) times.push(performance.now() - began)
    }
  times.sort((one, other) => one - other)
  const what = `preview of ${setup.facts.holders.toLocaleString('en')} customers, ${when}`
  const figure = { row, unit: 'ms', ours: times[Math.floor(times.length * 0.95)] ?? Infinity }
  return [
    isTarget
      ? createAbsoluteFigure({ ...figure, what: `${what}: p95`, target: atMost(200) })
      : createInformativeFigure({ ...figure, what: `${what}: p95` }),
    createInformativeFigure({ ...figure, what: `${what}: p50`, ours: computeMedian(times) }),
  ]
}

const preview = ({ facts: { shop } }: BenchSetup<CampaignsData>, api: Caller, targeting: object) =>
  api('POST', '/v1/loyalty/campaigns/audience-preview', { application: shop, channels: ['apple-wallet'], targeting })

/** Sends bare pushes from the processor on which the worker runs. @returns pushes a second */
async function measureBarePushes(setup: BenchSetup<CampaignsData>, { url, certificate, authority }: Service) {
  const count = setup.options.quick ? 20_000 : 200_000
  const sender = await startPinnedProcess({
    name: 'pushes',
    entry: 'test/bench/campaigns/pushes.child.ts',
    args: [
      url,
      authority.certificate,
      certificate.certificate,
      certificate.privateKey,
      names.passTypeIdentifier,
      `${count}`,
    ],
    env: setup.env,
  })
  sender.child.send('measure')
  const [{ perSecond }] = (await once(sender.child, 'message')) as [{ perSecond: number }]
  await sender.stop()
  return perSecond
}

async function measureSending(
  setup: BenchSetup<CampaignsData>,
  api: Caller,
  service: Service,
  measureBare: () => Promise<number>,
): Promise<{ figures: Figure[]; campaign: string }> {
  const { shop, holders } = setup.facts
  const before = await readJson(preview(setup, api, {}))
  const content = { headline: 'Autumn is here', body: 'Twice the points until Sunday.' }
  const draft = { application: shop, name: 'Bench', channels: ['apple-wallet'], content }
  const campaign = String((await readJson(api('POST', '/v1/loyalty/campaigns', draft)))['id'])
  const ca = join(setup.scratch, 'apns-ca.pem')
  writeFileSync(ca, service.authority.certificate)
  const worker = await startPinnedProcess({
    name: 'worker',
    entry: 'core/worker.ts',
    env: { ...setup.env, ...localProductionSettings, APNS_URL: service.url, NODE_EXTRA_CA_CERTS: ca },
    profile: setup.profileOf('worker'),
  })
  try {
    const began = performance.now()
    await api('POST', `/v1/loyalty/campaigns/${campaign}/send`, {})
    const { frozenMs, memory } = await followSending(api, campaign, worker.pid)
    const totalMs = performance.now() - began
    const stats = await readJson(api('GET', `/v1/loyalty/campaigns/${campaign}/stats`))
    const { sent } = stats['deliveries'] as { sent: number }
    if (sent !== before['reachableNow'] || sent !== holders)
      throw new Error(`The preview said ${String(before['reachableNow'])}, and ${sent} of ${holders} were sent`)
    const many = `${holders.toLocaleString('en')} customers`
    const dispatchMs = totalMs - frozenMs
    return {
      campaign,
      figures: [
        createRatioFigure({
          row,
          what: `${many}: pushes to the stand-in of Apple's service`,
          unit: 'pushes/s',
          baseline: { name: 'bare HTTP/2', value: await measureBare() },
          ours: sent / (dispatchMs / 1_000),
          target: atLeast(0.7),
        }),
        createInformativeFigure({ row, what: `${many}: frozen`, unit: 's', ours: frozenMs / 1_000 }),
        createInformativeFigure({ row, what: `${many}: sent, with freezing`, unit: 's', ours: totalMs / 1_000 }),
        createAbsoluteFigure({
          row,
          what: 'memory of the worker: last quarter of sending above the first',
          unit: 'MB',
          ours: memory.growth,
          target: atMost(20),
        }),
        createInformativeFigure({ row, what: 'memory of the worker: highest', unit: 'MB', ours: memory.highest }),
      ],
    }
  } finally {
    await worker.stop()
  }
}

const readMegabytes = (pid: number) =>
  Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** Follows a campaign to its end. @returns when its audience was frozen, and the memory of the worker while it pushed */
async function followSending(api: Caller, campaign: string, pid: number) {
  const began = performance.now()
  let frozenMs: number | null = null
  const memory: number[] = []
  for (;;) {
    const [{ status }, { deliveries }] = (await Promise.all([
      readJson(api('GET', `/v1/loyalty/campaigns/${campaign}`)),
      readJson(api('GET', `/v1/loyalty/campaigns/${campaign}/stats`)),
    ])) as [{ status: string }, { deliveries: { sent: number } }]
    // The first slice is pushed as soon as the last account is frozen.
    if (deliveries.sent > 0) {
      frozenMs ??= performance.now() - began
      memory.push(readMegabytes(pid))
    }
    if (status === 'sent') break
    await sleep(frozenMs === null ? 50 : 500)
  }
  const quarter = Math.max(1, Math.floor(memory.length / 4))
  const growth = computeMedian(memory.slice(-quarter)) - computeMedian(memory.slice(0, quarter))
  return { frozenMs: frozenMs ?? 0, memory: { growth, highest: Math.max(...memory) } }
}

async function measureReads(setup: BenchSetup<CampaignsData>, api: Caller, campaign: string): Promise<Figure[]> {
  const began = performance.now()
  await readJson(api('GET', `/v1/loyalty/campaigns/${campaign}/stats`))
  const statsMs = performance.now() - began
  const { pid } = await setup.api()
  const path = `/v1/loyalty/campaigns/${campaign}/deliveries/export`
  const lines = Math.min(50_000, setup.facts.holders)
  const ours: number[] = []
  const copied: number[] = []
  let highest = 0
  await readWhole(api, path)
  const before = readMegabytes(pid)
  for (let turn = 0; turn < 5; turn++) {
    copied.push(lines / (await copyDeliveries(setup, campaign)))
    const watch = setInterval(() => (highest = Math.max(highest, readMegabytes(pid))), 5)
    const { seconds, count } = await readWhole(api, path)
    clearInterval(watch)
    if (count !== lines) throw new Error(`The export has ${count} lines, not ${lines}`)
    ours.push(lines / seconds)
  }
  return [
    createRatioFigure({
      row,
      what: `export of ${lines.toLocaleString('en')} deliveries`,
      unit: 'lines/s',
      baseline: { name: 'COPY', value: computeMedian(copied) },
      ours: computeMedian(ours),
      target: atLeast(0.35),
    }),
    createAbsoluteFigure({
      row,
      what: 'export: memory of the API above that before',
      unit: 'MB',
      ours: Math.max(0, highest - before),
      target: atMost(25),
    }),
    createInformativeFigure({
      row,
      what: `statistics of ${setup.facts.holders.toLocaleString('en')} deliveries`,
      unit: 'ms',
      ours: statsMs,
    }),
  ]
}

async function readWhole(api: Caller, path: string): Promise<{ seconds: number; count: number }> {
  const began = performance.now()
  const { body } = await api('GET', path)
  let count = -1
  for await (const chunk of body ?? []) for (const byte of chunk) if (byte === 10) count++
  return { seconds: (performance.now() - began) / 1_000, count }
}

/** Reads the same rows with COPY. @returns seconds */
async function copyDeliveries({ databaseUrl }: BenchSetup<CampaignsData>, campaign: string): Promise<number> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    const began = performance.now()
    const stream = client.query(copyTo(`copy (${exportedSql.replace('%s', campaign)}) to stdout (format csv, header)`))
    for await (const chunk of stream) if (!chunk) throw new Error('COPY sent nothing')
    return (performance.now() - began) / 1_000
  } finally {
    await client.end()
  }
}
