import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import knex, { type Knex } from 'knex'
import { migrateSchema } from '../../core/commands/migrate.ts'
import { seedForStart } from '../../core/commands/seed.ts'
import { startPostgres } from '../../core/embedded/postgres/postgres.ts'
import { startRedis } from '../../core/embedded/redis.ts'
import { readSettings } from '../../core/app/settings.ts'
import { isLocked, lockFolder } from '../../core/start/lock.ts'
import { findFreePort } from '../../core/start/ports.ts'
import { ensureDevelopmentSecrets } from '../../core/start/secrets.ts'
import { createTestEnvironment } from '../support/environment.ts'
import { createTemporaryFolder, removeFolder } from '../support/folders.ts'
import { fillDatabase, type BenchData, type SeededPlatform } from './data.ts'
import { startPinnedProcess, type PinnedProcess } from './pinned-process.ts'

export interface BenchOptions {
  quick: boolean
  profile: boolean
}

export interface BenchProcess extends PinnedProcess {
  url: string
}

/** Settings with which the bridge counts calls as always and refuses none. */
export const countingSettings = { MCP_CALLS_PER_MINUTE: '1000000000' }

/** Everything that is measured. Each process is started when a row first needs it. */
export interface BenchSetup<Facts = BenchData> {
  options: BenchOptions
  facts: Facts
  db: Knex
  databaseUrl: string
  redisUrl: string
  /** The environment of the API, without its port. */
  env: NodeJS.ProcessEnv
  /** A folder for temporary files, which is removed at the end of the run. */
  scratch: string
  /** The seconds of one run under load. */
  seconds: number
  api(): Promise<BenchProcess>
  /** The API without the use of units of a quota when it creates a passport. */
  unmetered(): Promise<BenchProcess>
  raw(): Promise<BenchProcess>
  bridge(): Promise<BenchProcess>
  /** Returns the folder for the profile of a process; undefined if no profile is requested. */
  profileOf(name: string): string | undefined
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '../..')
const printProgress = (line: string) => process.stderr.write(`${line}\n`)
const throwCause = (cause: Error) => {
  throw cause
}

/** What a database is filled with, and where that is described. */
interface BenchFilling<Facts> {
  /** The beginning of the name of the folder in which the data is stored for further runs. */
  prefix: string
  /** The files, relative to this folder, that describe the data. */
  files: readonly string[]
  /** Fills a database that is migrated and seeded. */
  fill(db: Knex, seeded: SeededPlatform, printLine: (line: string) => void): Promise<Facts>
}

/** Computes a fingerprint of the migrations and the data. If it changes, the stored data is created again. */
function computeFingerprint(described: readonly string[]): string {
  const migrations = join(root, 'core/database/migrations')
  const files = [
    ...readdirSync(migrations)
      .sort()
      .map((name) => join(migrations, name)),
    ...described.map((name) => join(import.meta.dirname, name)),
  ]
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 12)
}

/** Returns the folder of the stored data and removes the folders of other fingerprints. */
async function findDataFolder({ prefix, files }: BenchFilling<unknown>): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tessera')
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const name = `${prefix}${computeFingerprint(files)}`
  for (const other of readdirSync(cache).filter((each) => each.startsWith(prefix) && each !== name)) {
    if (!isLocked(join(cache, other))) await removeFolder(join(cache, other))
  }
  const folder = join(cache, name)
  if (existsSync(folder) && !existsSync(join(folder, 'facts.json')) && !isLocked(folder)) await removeFolder(folder)
  return folder
}

/** Starts PostgreSQL and Redis on the stored passports, and creates them first if there are none. */
export function startBenchSetup(options: BenchOptions): Promise<BenchSetup> {
  const passports = options.quick ? 20_000 : 1_000_000
  return startFilledSetup(options, {
    prefix: `bench-${passports}-`,
    files: ['data.ts', 'data.sql.ts'],
    fill: (db, seeded, printLine) => fillDatabase(db, seeded, passports, printLine),
  })
}

/** Starts PostgreSQL and Redis on stored data, and creates the data first if there is none. */
export async function startFilledSetup<Facts>(
  options: BenchOptions,
  filling: BenchFilling<Facts>,
): Promise<BenchSetup<Facts>> {
  return startSetup(options, filling, await findDataFolder(filling))
}

/** Starts PostgreSQL and Redis on data that is removed at the end. */
export async function startTemporarySetup<Facts>(
  options: BenchOptions,
  filling: BenchFilling<Facts>,
): Promise<BenchSetup<Facts>> {
  const folder = createTemporaryFolder()
  const setup = await startSetup(options, filling, folder)
  return {
    ...setup,
    async stop() {
      await setup.stop()
      await removeFolder(folder)
    },
  }
}

async function startSetup<Facts>(
  options: BenchOptions,
  filling: BenchFilling<Facts>,
  dataDir: string,
): Promise<BenchSetup<Facts>> {
  const unlock = lockFolder(dataDir)
  const postgres = await startPostgres({ dataDir, giveUp: throwCause, durable: false })
  const redis = await startRedis({
    dataDir,
    giveUp: throwCause,
    warn: (message) => {
      throw new Error(message)
    },
  })
  if (!redis) throw new Error('The bench needs a Redis')
  const db = knex({ client: 'pg', connection: postgres.url, pool: { min: 0, max: 4 } })
  const env = createTestEnvironment({
    ...ensureDevelopmentSecrets(dataDir),
    DATA_DIR: dataDir,
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    ETHEREUM_ANVIL_RPC_URL: 'http://127.0.0.1:9',
    HOST: '127.0.0.1',
  })
  const facts = await loadBenchData(dataDir, env, db, filling)
  const processes = createProcesses(options, env, postgres.url)
  return {
    options,
    facts,
    db,
    env,
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    seconds: options.quick ? 2 : 8,
    ...processes,
    async stop() {
      await processes.end()
      await db.destroy()
      await Promise.all([postgres.stop(), redis.stop()])
      unlock()
    },
  }
}

async function loadBenchData<Facts>(
  dataDir: string,
  env: NodeJS.ProcessEnv,
  db: Knex,
  { fill }: BenchFilling<Facts>,
): Promise<Facts> {
  const file = join(dataDir, 'facts.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Facts
  const began = Date.now()
  const settings = readSettings(env)
  await migrateSchema(settings.databaseUrl ?? '')
  const facts = await fill(db, await seedForStart(settings), printProgress)
  writeFileSync(file, JSON.stringify(facts), { mode: 0o600 })
  printProgress(`the data was created in ${Math.round((Date.now() - began) / 1000)} s, in ${dataDir}`)
  return facts
}

/** Settings for production on this machine alone: without HTTPS in front, and without sign-in. */
export const localProductionSettings = {
  NODE_ENV: 'production',
  ALLOW_HTTP: 'true',
  SIGN_IN_CODES: 'off',
  COMPILE_ROUTES: 'at-start',
}

/** Creates the environment of a bridge for an API. */
export const createBridgeEnvironment = (apiUrl: string, port: number): NodeJS.ProcessEnv => ({
  ...createTestEnvironment({ HOST: '127.0.0.1', BRIDGE_PORT: `${port}`, API_URL: apiUrl, ...countingSettings }),
  NODE_ENV: 'production',
})

/** Creates the processes under load. The API runs as in production, but without limits of requests. */
function createProcesses({ profile }: BenchOptions, env: NodeJS.ProcessEnv, databaseUrl: string) {
  const scratch = mkdtempSync(join(tmpdir(), 'tessera-bench-'))
  const started: Promise<PinnedProcess>[] = []
  const profileOf = (name: string) => (profile ? join(scratch, name) : undefined)
  const createStarter = (
    name: string,
    entry: string,
    plan: (port: number) => Promise<{ args?: string[]; env: NodeJS.ProcessEnv }>,
  ) => {
    let running: Promise<BenchProcess> | undefined
    return () =>
      (running ??= (async () => {
        const port = await findFreePort()
        const starting = startPinnedProcess({
          name,
          entry,
          ...(await plan(port)),
          profile: name === 'raw' ? undefined : profileOf(name),
        })
        started.push(starting)
        return { ...(await starting), url: `http://127.0.0.1:${port}` }
      })())
  }
  const createApiStarter = (name: string, entry: string) =>
    createStarter(name, entry, async (port) => ({ env: { ...env, ...localProductionSettings, PORT: `${port}` } }))
  const api = createApiStarter('api', 'core/server.ts')
  return {
    scratch,
    profileOf,
    api,
    unmetered: createApiStarter('unmetered', 'test/bench/children/unmetered-api.ts'),
    raw: createStarter('raw', 'test/bench/raw/server.ts', async (port) => ({
      args: [`${port}`, databaseUrl],
      env: { ...env, NODE_ENV: 'production' },
    })),
    bridge: createStarter('bridge', 'bridge/server.ts', async (port) => ({
      env: createBridgeEnvironment((await api()).url, port),
    })),
    async end() {
      for (const each of started.reverse()) await (await each.catch(() => undefined))?.stop()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}
