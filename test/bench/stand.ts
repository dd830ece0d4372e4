import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import knex, { type Knex } from 'knex'
import { migrate } from '../../core/commands/migrate.ts'
import { seed } from '../../core/commands/seed.ts'
import { startPostgres } from '../../core/embedded/postgres.ts'
import { startRedis } from '../../core/embedded/redis.ts'
import { readSettings } from '../../core/settings.ts'
import { isLocked, lockFolder } from '../../core/start/lock.ts'
import { freePort } from '../../core/start/ports.ts'
import { developmentSecrets } from '../../core/start/secrets.ts'
import { testEnvironment } from '../support/environment.ts'
import { removeFolder } from '../support/platform.ts'
import { fill, type Facts } from './data.ts'
import { startPinned, type PinnedProcess } from './pinned.ts'

export interface Options {
  quick: boolean
  profile: boolean
}

export interface Process extends PinnedProcess {
  url: string
}

/** The bridge counts calls as it always does, and refuses none. */
export const counting = { MCP_CALLS_PER_MINUTE: '1000000000' }

/** Everything that is measured, started when a row first asks for it. */
export interface Stand {
  options: Options
  facts: Facts
  db: Knex
  databaseUrl: string
  redisUrl: string
  /** Environment of the API, without its port. */
  env: NodeJS.ProcessEnv
  /** For what the run leaves on the way; gone at its end. */
  scratch: string
  /** Seconds of one run under load. */
  seconds: number
  api(): Promise<Process>
  raw(): Promise<Process>
  bridge(): Promise<Process>
  /** A folder for the profile of a process, or undefined when none is asked for. */
  profileOf(name: string): string | undefined
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '../..')
const say = (line: string) => process.stderr.write(`${line}\n`)
const giveUp = (cause: Error) => {
  throw cause
}

/** What the kept data was made by: another schema, or other data, is made anew. */
function fingerprint(): string {
  const migrations = join(root, 'core/database/migrations')
  const files = [
    ...readdirSync(migrations)
      .sort()
      .map((name) => join(migrations, name)),
    join(import.meta.dirname, 'data.ts'),
    join(import.meta.dirname, 'data.sql.ts'),
  ]
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 12)
}

/** The folder of the kept data; those of other schemas are removed. */
async function keptFolder(passports: number): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tessera')
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const prefix = `bench-${passports}-`
  const name = `${prefix}${fingerprint()}`
  for (const other of readdirSync(cache).filter((each) => each.startsWith(prefix) && each !== name)) {
    if (!isLocked(join(cache, other))) await removeFolder(join(cache, other))
  }
  const folder = join(cache, name)
  if (existsSync(folder) && !existsSync(join(folder, 'facts.json')) && !isLocked(folder)) await removeFolder(folder)
  return folder
}

/** Starts PostgreSQL and Redis on the kept data, which is made first where there is none. */
export async function startStand(options: Options): Promise<Stand> {
  const passports = options.quick ? 20_000 : 1_000_000
  const dataDir = await keptFolder(passports)
  const unlock = lockFolder(dataDir)
  const postgres = await startPostgres({ dataDir, giveUp, durable: false })
  const redis = await startRedis({
    dataDir,
    giveUp,
    warn: (message) => {
      throw new Error(message)
    },
  })
  if (!redis) throw new Error('The bench needs a Redis')
  const db = knex({ client: 'pg', connection: postgres.url, pool: { min: 0, max: 4 } })
  const env = testEnvironment({
    ...developmentSecrets(dataDir),
    DATA_DIR: dataDir,
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    ETHEREUM_ANVIL_RPC_URL: 'http://127.0.0.1:9',
    HOST: '127.0.0.1',
  })
  const facts = await factsOf(dataDir, env, db, passports)
  const processes = processesOf(options, env, postgres.url)
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

async function factsOf(dataDir: string, env: NodeJS.ProcessEnv, db: Knex, passports: number): Promise<Facts> {
  const file = join(dataDir, 'facts.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Facts
  const began = Date.now()
  const settings = readSettings(env)
  await migrate(settings.databaseUrl ?? '')
  const facts = await fill(db, await seed(settings), passports, say)
  writeFileSync(file, JSON.stringify(facts), { mode: 0o600 })
  say(`${passports.toLocaleString('en')} passports in ${Math.round((Date.now() - began) / 1000)} s, kept in ${dataDir}`)
  return facts
}

/** Production on this machine alone: no https in front of it, and nobody signs in. */
export const productionHere = { NODE_ENV: 'production', ALLOW_HTTP: 'true', SIGN_IN_CODES: 'off' }

/** The processes under load. The API is as in production, but for the limits of requests. */
function processesOf({ profile }: Options, env: NodeJS.ProcessEnv, databaseUrl: string) {
  const scratch = mkdtempSync(join(tmpdir(), 'tessera-bench-'))
  const started: Promise<PinnedProcess>[] = []
  const profileOf = (name: string) => (profile ? join(scratch, name) : undefined)
  const once = (
    name: string,
    entry: string,
    plan: (port: number) => Promise<{ args?: string[]; env: NodeJS.ProcessEnv }>,
  ) => {
    let running: Promise<Process> | undefined
    return () =>
      (running ??= (async () => {
        const port = await freePort()
        const starting = startPinned({
          name,
          entry,
          ...(await plan(port)),
          profile: name === 'raw' ? undefined : profileOf(name),
        })
        started.push(starting)
        return { ...(await starting), url: `http://127.0.0.1:${port}` }
      })())
  }
  const api = once('api', 'core/server.ts', async (port) => ({
    env: { ...env, ...productionHere, PORT: `${port}` },
  }))
  return {
    scratch,
    profileOf,
    api,
    raw: once('raw', 'test/bench/raw/server.ts', async (port) => ({
      args: [`${port}`, databaseUrl],
      env: { ...env, NODE_ENV: 'production' },
    })),
    bridge: once('bridge', 'bridge/server.ts', async (port) => ({
      env: {
        ...testEnvironment({ HOST: '127.0.0.1', BRIDGE_PORT: `${port}`, API_URL: (await api()).url, ...counting }),
        NODE_ENV: 'production',
      },
    })),
    async end() {
      for (const each of started.reverse()) await (await each.catch(() => undefined))?.stop()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}
