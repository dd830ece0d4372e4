import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeCluster } from '../../core/embedded/postgres.cluster.ts'
import { isLocked } from '../../core/start/lock.ts'
import { runPlatform, type Platform, type PlatformOptions } from '../../core/start/platform.ts'
import { testEnvironment } from './environment.ts'

/** Where a platform under test is reached, and with what. */
export interface PlatformUnderTest {
  /** Address of the API, without a slash at the end. */
  api: string
  /** Address of the bridge's endpoint, `…/mcp`. */
  bridge: string
  /** Address of the outbox as JSON. */
  outbox: string
  /** A key of the demo organization with every permission. */
  apiKey: string
  organization: string
  application: string
  /** The e-mail address of the demo organization's owner. */
  signIn: string
  database: string
  /** The database as the signer's role sees it. */
  signerDatabase: string
  /** Undefined where no Redis can be had. */
  redis?: string
  /** The development chain. */
  rpc: string
  dataDir: string
}

const variable = 'TEST_PLATFORM'

/** The platform that `npm test` started for the whole suite. */
export const platform: PlatformUnderTest = new Proxy({} as PlatformUnderTest, {
  get(_, member) {
    const text = process.env[variable]
    if (text === undefined) throw new Error('No platform runs for this test: start it with npm test -- <file>')
    return (JSON.parse(text) as Record<string | symbol, unknown>)[member]
  },
})

/** How the suite's processes learn of the shared platform. */
export const shared = (found: PlatformUnderTest): NodeJS.ProcessEnv => ({ [variable]: JSON.stringify(found) })

export interface OwnPlatform extends PlatformUnderTest {
  children: Platform['children']
  parts: Platform['parts']
  /** Every line that the children wrote. */
  lines: string[]
  /** Stops everything; a folder that the test did not bring itself is removed. */
  stop(): Promise<void>
}

export interface OwnPlatformOptions {
  /** Settings beside the usual ones of tests. */
  env?: NodeJS.ProcessEnv
  /** Ports that it takes, as another platform had them; free ones unless told. */
  ports?: { PORT: string; BRIDGE_PORT: string }
  /** Kept when the platform stops, so that another one can find its data again. */
  dataDir?: string
  faults?: PlatformOptions['faults']
  entries?: PlatformOptions['entries']
  database?: PlatformOptions['database']
  patience?: PlatformOptions['patience']
  /** For figures: data survives a power cut, as it does in production. */
  durable?: boolean
  /** What a test expects when a part dies five times a minute; without it the test process ends. */
  giveUp?: (cause: Error) => void
}

/** A platform of the test's own on free ports, for what a shared one cannot bear: kills, limits, other settings. */
export async function startPlatform(options: OwnPlatformOptions = {}): Promise<OwnPlatform> {
  const { env, ports, dataDir = temporaryFolder(), giveUp = rethrow, ...rest } = options
  const lines: string[] = []
  const running = await runPlatform({
    ...rest,
    env: testEnvironment({ ...env, ...ports, DATA_DIR: dataDir }),
    freePorts: ports === undefined,
    durable: options.durable ?? false,
    line: (name, text) => lines.push(`${name} ${text}`),
    warn: (message) => lines.push(`start ${message}`),
    giveUp,
  })
  return {
    ...describePlatform(running),
    children: running.children,
    parts: running.parts,
    lines,
    async stop() {
      await running.stop()
      if (options.dataDir === undefined) await removeFolder(dataDir)
    },
  }
}

function rethrow(cause: Error): never {
  throw cause
}

export function describePlatform({ settings, seeded, parts }: Platform): PlatformUnderTest {
  return {
    api: settings.baseUrl,
    bridge: settings.mcpUrl,
    outbox: `${settings.baseUrl}/dev/outbox.json`,
    ...seeded,
    database: parts.postgres.url,
    signerDatabase: parts.postgres.signerUrl,
    ...(parts.redis ? { redis: parts.redis.url } : {}),
    rpc: parts.anvil.url,
    dataDir: settings.dataDir,
  }
}

const prefix = 'tessera-test-'
const oldAge = 2 * 60 * 60 * 1000

export const temporaryFolder = () => mkdtempSync(join(tmpdir(), prefix))

/** Removes what killed runs left: folders of ours that nobody holds and that nothing was made in for two hours. */
export async function sweepFolders(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(prefix))) {
    const folder = join(tmpdir(), name)
    const found = statSync(folder, { throwIfNoEntry: false })
    if (!found?.isDirectory() || found.uid !== process.getuid?.()) continue
    if (Date.now() - found.mtimeMs > oldAge && !isLocked(folder)) await removeFolder(folder)
  }
}

/** Removes a data folder together with what root keeps elsewhere. */
export async function removeFolder(dataDir: string): Promise<void> {
  await removeCluster(dataDir)
  rmSync(dataDir, { recursive: true, force: true })
}
