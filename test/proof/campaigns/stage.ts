import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ContextHandle } from '../../../core/app/context.ts'
import { readCluster } from '../../../core/embedded/postgres/postgres.cluster.ts'
import { runAsSuperuser } from '../../../core/embedded/postgres/postgres.roles.ts'
import { startPostgres } from '../../../core/embedded/postgres/postgres.ts'
import type { KeptChild } from '../../../core/start/children.ts'
import { createNames, getAuthority } from '../../core/loyalty/cards/apple/authority.ts'
import { buildOperator } from '../../core/identity/people.ts'
import { createApiClient, type Client } from '../../support/client.ts'
import { createEmptyDatabase, readServerTime } from '../../support/database/server-activity.ts'
import { createTemporaryFolder, removeFolder } from '../../support/folders.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { waitUntil } from '../../support/processes.ts'
import { createFakedClock } from '../../support/values/faked-clock.ts'
import { startApns, type ApnsStandIn } from '../../support/wallets/apple/apns.ts'
import { createPassCertificate } from '../../support/wallets/apple/certificates.ts'
import { readEnvironment, startTwin } from '../races/fleet.ts'

/** A platform on a database whose clock can be set, which pushes to a stand-in, with some workers. */
export interface CampaignStage {
  platform: OwnPlatform
  api: Client
  db: ContextHandle['context']['db']
  apns: ApnsStandIn
  workers: KeptChild[]
  /** Starts one more worker. */
  addWorker(): Promise<void>
  /** What cards of the platform are encrypted with. */
  keyEncryptionKey: string
  /** Sets the clock of the database so many seconds before or after the real one, and waits until it has it. */
  putClock(seconds: number): Promise<void>
  stop(): Promise<void>
}

interface StageOptions {
  /** The number of workers; one by default. */
  workers?: number
  env?: NodeJS.ProcessEnv
}

/** Undoes what was begun, the last first. */
type Undo = () => unknown

/** Opens a stage. What was begun is ended if something fails. */
export async function openCampaignStage(options: StageOptions = {}): Promise<CampaignStage> {
  const undo: Undo[] = []
  const stop = async () => {
    for (const end of undo.splice(0).reverse()) await end()
  }
  try {
    return { ...(await buildStage(options, undo)), stop }
  } catch (cause) {
    await stop()
    throw cause
  }
}

async function buildStage(
  { workers: count = 1, env = {} }: StageOptions,
  undo: Undo[],
): Promise<Omit<CampaignStage, 'stop'>> {
  const folder = createTemporaryFolder()
  undo.push(() => removeFolder(folder))
  const clock = await createFakedClock()
  undo.push(() => clock.remove())
  const database = await startClockedDatabase(folder, clock.env, undo)
  const apns = await startApns(getAuthority())
  undo.push(() => apns.stop())
  writeFileSync(join(folder, 'ca.pem'), apns.ca)
  const options = {
    env: {
      DATABASE_URL: database,
      TESSERA_FAULT: 'none',
      APNS_URL: apns.url,
      APNS_CA: join(folder, 'ca.pem'),
      ...env,
    },
    keeperDelays: { maxMs: 200 },
  }
  const platform = await startPlatform(options)
  undo.push(() => platform.stop())
  const operator = await buildOperator(platform.database)
  undo.push(() => operator.close())
  const workers = [platform.children.worker]
  // Each process has a port of its own for its metrics.
  const { METRICS_PORT: _, ...environment } = readEnvironment(platform.children.worker)
  async function addWorker(): Promise<void> {
    const name = `worker${workers.length + 1}`
    const worker = await startTwin(platform, 'worker', options, { name, env: environment })
    undo.push(() => worker.stop())
    await worker.ready()
    workers.push(worker)
  }
  while (workers.length < count) await addWorker()
  const { db } = operator.context
  return {
    platform,
    api: createApiClient(platform.apiKey, platform.api),
    db,
    apns,
    workers,
    addWorker,
    keyEncryptionKey: readSecret(platform, 'KEY_ENCRYPTION_KEY'),
    async putClock(seconds) {
      clock.setOffset(seconds)
      await waitUntil(
        'the database has the new time',
        async () => Math.abs((await readServerTime(db)).getTime() - Date.now() - seconds * 1_000) < 60_000,
      )
    },
  }
}

/** Starts a database that alone has the clock: it is what decides about times. @returns its address */
async function startClockedDatabase(dataDir: string, clockEnv: Record<string, string>, undo: Undo[]): Promise<string> {
  // It gets the clock from this process, in which nothing else reads these variables.
  Object.assign(process.env, clockEnv)
  const server = await startPostgres({
    dataDir,
    durable: false,
    giveUp: (cause) => {
      throw cause
    },
  }).finally(() => {
    for (const name of Object.keys(clockEnv)) delete process.env[name]
  })
  undo.push(() => server.stop())
  await runAsSuperuser(readCluster(dataDir).record, Number(new URL(server.url).port), 'postgres', (superuser) =>
    createEmptyDatabase(superuser, 'campaigns'),
  )
  return Object.assign(new URL(server.url), { pathname: '/campaigns' }).href
}

const readSecret = ({ dataDir }: OwnPlatform, name: string): string =>
  String((JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>)[name])

/** Gives an application what it needs to push to cards of Apple Wallet, and its settings. */
export async function prepareApplication(api: Client, application: string, settings: object): Promise<void> {
  const names = createNames()
  const named = await api.patch(`/v1/applications/${application}`, {
    loyaltySettings: { appleWallet: names, ...settings },
  })
  expect(named.status, named.text).to.equal(200)
  const path = `/v1/applications/${application}/wallet-credentials/apple-wallet`
  const set = await api.put(path, createPassCertificate(getAuthority(), names))
  expect(set.status, set.text).to.equal(200)
}

/** Creates an application whose cards can be pushed. @returns its id */
export async function createApplication(api: Client, settings: object): Promise<string> {
  const made = await api.post('/v1/applications', { name: 'Second' })
  expect(made.status, made.text).to.equal(201)
  const id = String(made.body['id'])
  await prepareApplication(api, id, settings)
  return id
}

/** Creates a draft for cards of Apple Wallet. @returns its id */
export async function createCampaign(
  api: Client,
  application: string,
  { headline, ...more }: { headline: string } & Record<string, unknown>,
): Promise<string> {
  const made = await api.post('/v1/loyalty/campaigns', {
    application,
    name: headline,
    channels: ['apple-wallet'],
    content: { headline, body: 'Twice the points until Sunday.' },
    ...more,
  })
  expect(made.status, made.text).to.equal(201)
  return String(made.body['id'])
}
