import { hkdfSync } from 'node:crypto'
import type { PostgresPart } from '../embedded/postgres/postgres.ts'
import type { Part } from '../embedded/part.ts'
import type { Settings } from '../app/settings.ts'
import { listSigningVariables } from '../app/settings.signing.ts'
import { findFreePort } from './ports.ts'
import { ensureDevelopmentSecrets, ensureSignerSecrets } from './secrets.ts'
import { prepareSignerSocket } from './socket.ts'

export interface PlatformParts {
  postgres: PostgresPart
  redis: Part | undefined
  anvil: Part
}

/** Creates the environment of the API and the worker: the given variables, completed by what this start created. */
export function createCommonEnvironment(
  environment: NodeJS.ProcessEnv,
  settings: Settings,
  parts: PlatformParts,
): NodeJS.ProcessEnv {
  const { dataDir, host, port, bridgePort, baseUrl, publicUrl, apiUrl, mcpUrl } = settings
  ensureSignerSecrets(dataDir, environment['KEY_ENCRYPTION_KEY'])
  const secrets = ensureDevelopmentSecrets(dataDir)
  return {
    ...secrets,
    MCP_SECRET: deriveBridgeSecret(secrets.KEY_ENCRYPTION_KEY),
    SIGNER_SOCKET: settings.signerUrl === undefined ? prepareSignerSocket(dataDir) : '',
    ...removeSignerSecrets(removeEmptyVariables(environment)),
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

/** Removes the variables that serve to sign transactions. */
function removeSignerSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const signing = new Set(listSigningVariables(env))
  return Object.fromEntries(Object.entries(env).filter(([name]) => !signing.has(name)))
}

const signerVariablePattern = new RegExp(
  '^(PATH|HOME|USER|LANG|TZ|TMPDIR|HOST|PORT|BASE_URL|PUBLIC_URL|DATA_DIR|LOG_LEVEL|TESSERA_FAULT|'
    + 'PASSPORT_BATCHES_PER_CONTRACT|[A-Z_]+_(SENDER_KEYS|OWNER|MAX_FEE_GWEI)|(NODE|OTEL|SSL|SIGNER)_\\w+)$',
)

/**
 * Creates the signer's environment: its own database role, the signing keys, and no secrets of the API.
 * @param environment variables that the operator set
 */
export function createSignerEnvironment(
  environment: NodeJS.ProcessEnv,
  common: NodeJS.ProcessEnv,
  { postgres }: PlatformParts,
): NodeJS.ProcessEnv {
  const own = {
    ...ensureSignerSecrets(common['DATA_DIR'] ?? '', undefined),
    ...removeEmptyVariables(environment),
    ...common,
  }
  return {
    ...Object.fromEntries(Object.entries(own).filter(([name]) => signerVariablePattern.test(name))),
    DATABASE_URL: postgres.signerUrl,
  }
}

/**
 * Creates the worker's environment. The worker handles files of any size in little memory. It has a small nursery, and
 * buffers from 32 KiB on return to the system as soon as they are free. The compiler asks for short-lived memory in
 * blocks of that size; the holes that they would leave take 14 MB in a new process. A nursery of 1 MiB would need 4 MB
 * less, but cost imports a seventh of their speed.
 * Source: V8, `--max-semi-space-size` in MiB; glibc, mallopt(3).
 */
export const createWorkerEnvironment = (common: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: '--max-semi-space-size=4',
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_TOP_PAD_: '0',
  ...common,
})

/**
 * Flags of the worker. Its heap grows by only 20 % at a time while it starts, because a start leaves much garbage.
 * NODE_OPTIONS does not accept this flag.
 */
export const workerFlags = ['--heap-growing-percent=20']

/**
 * Derives the key that the bridge seals with. The key is the same at every start on the data folder. Source: RFC 5869.
 */
const deriveBridgeSecret = (key: string) =>
  Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64'), '', 'tessera bridge', 32)).toString('base64')

const bridgeVariablePattern =
  /^(PATH|HOME|USER|LANG|TZ|TMPDIR|HOST|BRIDGE_PORT|API_URL|LOG_LEVEL|TRUST_PROXY|REDIS_URL|(NODE|OTEL|SSL|MCP)_\w+)$/

/**
 * Creates the bridge's environment. The bridge holds nothing that gives access to the API: it gets addresses, its
 * sealing key and the Redis where its processes meet.
 */
export const createBridgeEnvironment = (common: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(common).filter(([name]) => bridgeVariablePattern.test(name)))

/** Gives each process its own port for metrics. The configured port belongs to the API. */
export async function addMetricsPort(env: NodeJS.ProcessEnv, port?: number): Promise<NodeJS.ProcessEnv> {
  return { ...env, METRICS_PORT: `${port ?? (await findFreePort())}` }
}

const removeEmptyVariables = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([, text]) => text))
