import { hkdfSync } from 'node:crypto'
import type { PostgresPart } from '../embedded/postgres.ts'
import type { Part } from '../embedded/part.ts'
import type { Settings } from '../settings.ts'
import { signingVariables } from '../settings.signing.ts'
import { freePort } from './ports.ts'
import { developmentSecrets, signerSecrets } from './secrets.ts'
import { signerSocket } from './socket.ts'

export interface Parts {
  postgres: PostgresPart
  redis: Part | undefined
  anvil: Part
}

/** The environment of API and worker: what was given, completed by what this start made. */
export function commonEnvironment(given: NodeJS.ProcessEnv, settings: Settings, parts: Parts): NodeJS.ProcessEnv {
  const { dataDir, host, port, bridgePort, baseUrl, publicUrl, apiUrl, mcpUrl } = settings
  signerSecrets(dataDir, given['KEY_ENCRYPTION_KEY'])
  const secrets = developmentSecrets(dataDir)
  return {
    ...secrets,
    MCP_SECRET: bridgeSecret(secrets.KEY_ENCRYPTION_KEY),
    SIGNER_SOCKET: settings.signerUrl === undefined ? signerSocket(dataDir) : '',
    ...withoutSignerSecrets(filled(given)),
    HOST: host,
    PORT: `${port}`,
    BRIDGE_PORT: `${bridgePort}`,
    BASE_URL: baseUrl,
    PUBLIC_URL: publicUrl,
    API_URL: apiUrl,
    MCP_URL: mcpUrl,
    DATA_DIR: dataDir,
    DATABASE_URL: parts.postgres.url,
    REDIS_URL: parts.redis?.url ?? '',
    ETHEREUM_ANVIL_RPC_URL: parts.anvil.url,
  }
}

/** An environment without what signs transactions. */
function withoutSignerSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const signing = new Set(signingVariables(env))
  return Object.fromEntries(Object.entries(env).filter(([name]) => !signing.has(name)))
}

const signerVariables = new RegExp('^(PATH|HOME|USER|LANG|TZ|TMPDIR|HOST|PORT|BASE_URL|PUBLIC_URL|DATA_DIR|LOG_LEVEL|TESSERA_FAULT|'
  + 'PASSPORT_BATCHES_PER_CONTRACT|[A-Z_]+_(SENDER_KEYS|OWNER|MAX_FEE_GWEI)|(NODE|OTEL|SSL|SIGNER)_\\w+)$')

/** The signer has its own database role, what signs, and none of the API's secrets. @param given what the operator set */
export function signerEnvironment(
  given: NodeJS.ProcessEnv, common: NodeJS.ProcessEnv, { postgres }: Parts,
): NodeJS.ProcessEnv {
  const own = { ...signerSecrets(common['DATA_DIR'] ?? '', undefined), ...filled(given), ...common }
  return {
    ...Object.fromEntries(Object.entries(own).filter(([name]) => signerVariables.test(name))),
    DATABASE_URL: postgres.signerUrl,
  }
}

/**
 * The worker handles files of any size in little memory: a small nursery, and buffers that go back to the machine as
 * soon as they are free: from 32 KiB on, which is how the compiler asks for memory that it needs for moments only, and
 * whose holes are 14 MB of a process that has just begun. A nursery of 1 MiB needs 4 MB less and costs imports a seventh of their speed.
 * Source: V8, `--max-semi-space-size` in MiB; glibc, mallopt(3).
 */
export const workerEnvironment = (common: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: '--max-semi-space-size=4',
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_TOP_PAD_: '0',
  ...common,
})

/** Its heap grows by so many per cent while it starts, which leaves much to be swept; NODE_OPTIONS does not take this. */
export const workerFlags = ['--heap-growing-percent=20']

/** What the bridge seals with, the same at every start on this folder. Source: RFC 5869. */
const bridgeSecret = (key: string) =>
  Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64'), '', 'tessera bridge', 32)).toString('base64')

const bridgeVariables =
  /^(PATH|HOME|USER|LANG|TZ|TMPDIR|HOST|BRIDGE_PORT|API_URL|LOG_LEVEL|TRUST_PROXY|REDIS_URL|(NODE|OTEL|SSL|MCP)_\w+)$/

/** The bridge holds nothing that opens the API: it gets addresses, what it seals with, and where its processes meet. */
export const bridgeEnvironment = (common: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(common).filter(([name]) => bridgeVariables.test(name)))

/** Each process shows its figures on a port of its own; the given one belongs to the API. */
export async function withMetrics(env: NodeJS.ProcessEnv, given?: number): Promise<NodeJS.ProcessEnv> {
  return { ...env, METRICS_PORT: `${given ?? await freePort()}` }
}

const filled = (env: NodeJS.ProcessEnv) => Object.fromEntries(Object.entries(env).filter(([, text]) => text))
